// Package botauth signs and verifies HTTP requests with Web Bot Auth, so that a
// site can tell a crawler from someone who copies its User-Agent.
//
// A crawler has an Ed25519 key and publishes the public half in a directory, a
// JSON Web Key Set, below an HTTPS URL. Each request carries three fields:
// Signature-Agent names that URL, Signature-Input says what is signed and until
// when, and Signature holds the signature. [Signer.Sign] writes them, and
// [Signer.Send] also answers a site that asks for another signature.
// A site fetches the directory with [ParseDirectory] or [VerifyDirectory] and
// passes it to [Verify].
//
// A signature covers the authority of the request, not its path. Whoever reads
// a signed request can replay it to the same site until the signature expires,
// so signatures live for minutes.
//
// The package implements the working-group draft
// draft-ietf-webbotauth-httpsig-protocol as edited after version 00, which
// includes the directory, and draft-meunier-webbotauth-registry for cards and
// registries. The test vectors decide where they and the draft differ. A later
// draft may change the values in draft.go. HTTP Message Signatures is RFC 9421.
package botauth
