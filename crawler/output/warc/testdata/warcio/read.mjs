// Prints what warcio reads in a WARC file, one line of JSON for each record.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { WARCParser } from "warcio";

const sha1 = (bytes) => createHash("sha1").update(bytes).digest("hex");

async function read(file, parseHttp) {
  const parser = new WARCParser(createReadStream(file), { keepHeadersCase: true, parseHttp });
  const records = [];
  for await (const record of parser) {
    const bytes = await record.readFully(false);
    records.push({
      version: record.warcHeaders.statusline,
      headers: Object.fromEntries(record.warcHeaders.headers.entries()),
      status: record.httpHeaders?.statusCode,
      offset: parser.offset,
      length: bytes.length,
      sha1: sha1(bytes),
    });
  }
  return records;
}

const file = process.argv[2];
const blocks = await read(file, false);
const payloads = await read(file, true);
if (blocks.length !== payloads.length) {
  throw new Error(`${blocks.length} records, and ${payloads.length} when HTTP is parsed`);
}
for (const [i, block] of blocks.entries()) {
  const { status, sha1: payload } = payloads[i];
  console.log(JSON.stringify({ ...block, status, payload }));
}
