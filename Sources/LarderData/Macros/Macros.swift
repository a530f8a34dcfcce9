// placeholder: the declarations of the macros
