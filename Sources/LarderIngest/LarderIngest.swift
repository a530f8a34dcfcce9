// From a response's bytes to rows in one call. Records are LarderJSON's, rows are LarderData's; what is here lets them run
// side by side.
//
// The way: `ModelContainer.ingest` awaits chunks, `ChunkReader` has them read on a thread of its own, where `RecordBatcher`
// makes a `RecordBatch` of them, and `BatchWriter` has the core's `BulkUpsert` write it on another.
