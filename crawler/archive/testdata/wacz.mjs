// Reads the index of a WACZ file that is unpacked into a folder, and for each line the record that it names. Prints
// a line of JSON for each: what warcio reads.
import { readFileSync } from "node:fs";
import { WARCParser, getSurt } from "../../output/warc/testdata/warcio/node_modules/warcio/dist/index.js";

const dir = process.argv[2];
for (const line of readFileSync(`${dir}/indexes/index.cdx`, "utf8").trimEnd().split("\n")) {
  const [key, timestamp] = line.split(" ", 2);
  const { url, filename, offset, length } = JSON.parse(line.slice(key.length + timestamp.length + 2));
  const file = readFileSync(`${dir}/archive/${filename}`);
  const parser = new WARCParser([file.subarray(Number(offset), Number(offset) + Number(length))]);
  const record = await parser.parse();
  const payload = await record.readFully(true);
  console.log(JSON.stringify({
    key: key === getSurt(url) ? key : `${key} instead of ${getSurt(url)}`,
    time: timestamp === record.warcDate.replace(/[-:T]/g, "").slice(0, 14),
    url: record.warcTargetURI,
    type: record.warcType,
    status: record.httpHeaders?.statusCode,
    bytes: payload.length,
    more: (await parser.parse()) !== null,
  }));
}
