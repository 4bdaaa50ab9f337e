// Prints the key that warcio gives each URL of an array, as an array.
import { readFileSync } from "node:fs";
import { getSurt } from "../../../output/warc/testdata/warcio/node_modules/warcio/dist/index.js";

console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(getSurt)));
