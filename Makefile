# `make help` lists what there is. Needed beforehand: Swift 6.2 or later, git and make; the rest installs itself.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo trips payments test quick test-browser soak lint format docs bench consumer source-syntax clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install everything that any target needs (WHAT="core demo test browser bench")
	@Scripts/setup $(WHAT)

demo: ## Run the Quakes example (PORT=8080 STORE=path CLIENT=larder LIVE=1 ONCE=1)
	@Scripts/setup core demo
	@PORT='$(PORT)' STORE='$(STORE)' CLIENT='$(CLIENT)' LIVE='$(LIVE)' ONCE='$(ONCE)' Scripts/demo Quakes quakes

trips: ## Run the Trips example (PORT=8643 STORE=path ONCE=1)
	@Scripts/setup core demo
	@PORT='$(PORT)' STORE='$(STORE)' ONCE='$(ONCE)' Scripts/demo Trips trips

payments: ## Run the Payments example (PORT=8644 STORE=path ORDER=seconds ONCE=1 SEED=n)
	@Scripts/setup core demo
	@PORT='$(PORT)' STORE='$(STORE)' ONCE='$(ONCE)' SEED='$(SEED)' ORDER='$(ORDER)' Scripts/demo Payments 'payments payments-bank'

test: ## Run all tests and tell how many ran, and how long (PHASES="unit examples sanitizers long …" SEED=number)
	@Scripts/setup core test
	@SEED='$(SEED)' Scripts/test $(PHASES)

quick: ## Build and run the tests that match, and nothing else (FILTER="SharedListTests")
	@Scripts/setup core test
	@Scripts/quick '$(FILTER)'

test-browser: ## Drive the examples' pages in headless Chromium
	@Scripts/setup core test browser
	@Scripts/test-browser

soak: ## Run the long tests whole (SIZE=100 percent, SEED=number, LONG="names")
	@Scripts/setup core test
	@SIZE='$(or $(SIZE),100)' SEED='$(SEED)' Scripts/soak $(LONG)

lint: ## Check the format of the Swift files
	@Scripts/setup core
	@Scripts/lint

format: ## Format the Swift files in place
	@git ls-files -z --cached --others --exclude-standard -- '*.swift' | xargs -0 swift format --in-place --parallel

docs: ## Build the documentation into .build/docs, without a network
	@Scripts/setup core test
	@Scripts/docs

bench: ## Measure against plain C; writes Benchmarks/results/latest.json (QUICK=1: fewer rounds)
	@Scripts/setup core bench
	@QUICK='$(QUICK)' Scripts/bench

consumer: ## Build and run a package elsewhere that depends on a tagged copy (BUDGET=90 seconds for a clean build; 0: do not measure)
	@Scripts/setup core demo
	@Scripts/try-consumer

source-syntax: ## Resolve the trait that builds swift-syntax from source, against a local stand-in
	@Scripts/setup core demo
	@Scripts/try-source-syntax

clean: ## Remove everything that was built
	@rm -rf .build Benchmarks/.build Examples/*/.build
