// Package identity keeps the identity of a crawler: its keys, and the files that a site reads to
// tell the crawler from someone who copies its User-Agent.
//
// The identity is a directory:
//
//	identity.json   the settings, and for each key its id, source and times
//	keys/           private keys; they are never written anywhere else
//	public/         the files to upload to the host of the identity
//	nginx.conf      what nginx needs to serve the key directory
//
// [Create] makes it and [Identity.Rotate] changes the key. public/ has the signed key directory, the
// signature agent card, the IP ranges, a page for site owners, and _headers: a file with the header
// fields of the key directory that static hosts read. The formats are those of package botauth and of
// draft-illyes-webbotauth-jafar.
package identity
