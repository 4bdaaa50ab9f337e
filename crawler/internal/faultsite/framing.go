package faultsite

import "strings"

// framing returns bodies that are longer or shorter than their header says.
func framing() []*Fault {
	const says = "valid HTTP"
	chunked := "{head}Transfer-Encoding: chunked\n\n"
	return []*Fault{
		wholeBody(noResponse("length-too-long", "states a Content-Length of more than there is, and closes the connection", "the response ends", raw(shut, "{head}Content-Length: 9{len}\n\n{body}"))),
		wholeBody(stalls("length-too-long-open", "states a Content-Length of more than there is, and keeps the connection", "stalled", raw(hang, "{head}Content-Length: 9{len}\n\n{body}"))),
		harmless("length-too-short", "sends more than the Content-Length says", raw(keep, "{head}Content-Length: {len}\n\n{body}and more\n")),
		harmless("answer-unasked", "sends another response after the response", raw(keep, "{head}Content-Length: {len}\n\n{body}HTTP/1.1 200 OK\nContent-Length: 5\n\nagain")),
		harmless("garbage-after", "sends random bytes after the response", raw(keep, "{head}Content-Length: {len}\n\n{body}\x00\xff\x00\xff")),
		harmless("endless-after", "sends bytes without end after the response", func(x *exchange) bool {
			x.sendLast(x.fill("{head}Content-Length: {len}\r\n\r\n{body}"))
			for x.send(strings.Repeat("more ", 1<<10)) {
			}
			return false
		}),
		noResponse("two-lengths", "states two lengths that differ", says, raw(shut, "{head}Content-Length: {len}\nContent-Length: 5\n\n{body}")),
		harmless("same-length-twice", "states the same length twice", raw(keep, "{head}Content-Length: {len}\nContent-Length: {len}\n\n{body}")),
		noResponse("negative-length", "states a negative length", says, raw(shut, "{head}Content-Length: -1\n\n{body}")),
		noResponse("word-for-length", "states a length in words", says, raw(shut, "{head}Content-Length: much\n\n{body}")),
		noResponse("length-of-exabytes", "states a length that no number holds", says, raw(shut, "{head}Content-Length: 99999999999999999999\n\n{body}")),
		harmless("length-and-chunks", "states a length and sends chunks", raw(keep, "{head}Content-Length: 5\nTransfer-Encoding: chunked\n\n{hex}\n{body}\n0\n\n")),
		noResponse("unknown-framing", "uses an unknown Transfer-Encoding", says, raw(shut, "{head}Transfer-Encoding: parcels\n\n{body}")),
		noResponse("bad-chunk-size", "has a word for the size of a chunk", "the response ends", raw(shut, chunked+"much\n{body}\n0\n\n")),
		noResponse("huge-chunk-size", "has the size of a chunk that no number holds", "the response ends", raw(shut, chunked+"fffffffffffffffff\n{body}\n0\n\n")),
		wholeBody(noResponse("chunk-of-exabytes", "begins a chunk of eight exabytes, and closes the connection", "the response ends", raw(shut, chunked+"7fffffffffffffff\n{body}"))),
		wholeBody(noResponse("chunk-without-end", "forgets the end of a chunk", "the response ends", raw(shut, chunked+"{hex}\n{body}0\n\n"))),
		harmless("chunk-extensions", "has extensions on its chunks", raw(keep, chunked+"{hex};a=b;c=\"d\"\n{body}\n0;last\n\n")),
		noResponse("endless-chunk-extension", "has an extension without end on a chunk", "the response ends", flood(chunked+"5;a=", strings.Repeat("b", 4<<10))),
		noResponse("tiny-chunks", "sends chunks of a byte, with an extension each, as fast as can be", "the response ends", flood(chunked, strings.Repeat("1;"+strings.Repeat("x", 500)+"\n \n", 10))),
		wholeBody(noResponse("endless-trailers", "sends trailers without end", "the response ends", flood(chunked+"{hex}\n{body}\n0\n", strings.Repeat("X-More: and more\n", 1<<10)))),
		harmless("trailers", "sends trailers", raw(keep, chunked+"{hex}\n{body}\n0\nX-Trailer: a\nContent-Length: 5\n\n")),
	}
}
