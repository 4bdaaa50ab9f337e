// Verifies requests with the npm package web-bot-auth, one line of JSON for each: null, or why the
// request is refused. A line {"directory": …} is a response with a directory instead. The argument
// is the file of the directory, which is read again for an unknown or expired key, as a site does. Keys that
// are no longer in it, and keys outside of their nbf and exp, are refused.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { verify as verifyMessage } from "http-message-sig";
import { parseDictionary } from "structured-headers";
import { verify as verifyRequest } from "web-bot-auth";
import { verifierFromJWK } from "web-bot-auth/crypto";

const keys = new Map();

async function readKeys(body) {
  keys.clear();
  for (const jwk of JSON.parse(body).keys) {
    keys.set(jwk.kid, { verifier: await verifierFromJWK(jwk), nbf: jwk.nbf ?? 0, exp: jwk.exp ?? Infinity });
  }
}

function validKey(id) {
  const key = keys.get(id);
  const now = Date.now() / 1000;
  return key && key.nbf <= now && now < key.exp ? key : undefined;
}

async function check(data, signature, params) {
  if (!validKey(params.keyid)) {
    await readKeys(readFileSync(process.argv[2]));
  }
  const key = validKey(params.keyid);
  if (!key) {
    throw new Error(`unknown or expired key ${params.keyid}`);
  }
  return key.verifier(data, signature, params);
}

// The package knows Signature-Agent as a string only. The signature covers one member of the
// dictionary, so that member takes the place of the field.
async function request({ method, url, headers }) {
  const agents = parseDictionary(headers["signature-agent"]);
  if (agents.size !== 1) {
    throw new Error(`${agents.size} signature agents`);
  }
  const [[, [agent]]] = agents;
  await verifyRequest({ method, url, headers: { ...headers, "signature-agent": `"${agent}"` } }, check);
}

// The package verifies messages with one signature, so each of a directory is checked alone.
async function directory({ url, headers, body }) {
  await readKeys(body);
  const inputs = headers["signature-input"].split(/, (?=binding)/);
  const signatures = headers.signature.split(/, (?=binding)/);
  for (const [i, input] of inputs.entries()) {
    const response = { status: 200, headers: { ...headers, "signature-input": input, signature: signatures[i] } };
    await verifyMessage({ request: { method: "GET", url, headers: {} }, response }, check);
  }
  if (inputs.length !== keys.size) {
    throw new Error(`${inputs.length} signatures of ${keys.size} keys`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  try {
    await (message.directory ? directory(message.directory) : request(message));
    console.log("null");
  } catch (error) {
    console.log(JSON.stringify(error.message));
  }
}
