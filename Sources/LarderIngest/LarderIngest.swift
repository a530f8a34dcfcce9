// Ingest from the bytes of a response to rows in one call. LarderJSON reads the records and LarderData writes the rows;
// this module runs both at the same time.
//
// The steps: `ModelContainer.ingest` awaits chunks. `ChunkReader` reads them on its own queue, where `RecordBatcher`
// collects them in a `RecordBatch`. `BatchWriter` writes it with the core's `BulkUpsert` on another queue.
