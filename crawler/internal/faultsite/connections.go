package faultsite

// silence returns responses that are slow or never end, and some that are only slow.
func silence() []*Fault {
	return []*Fault{
		stalls("no-answer", "reads the request and never responds", "within", raw(hang, "")),
		stalls("slow-status-line", "sends a status line that has no end, a byte at a time", "within", drip("HTTP/1.1 200 ", "O")),
		stalls("slow-headers", "sends header fields without end, a byte at a time", "within", drip("{head}X-Slow: ", "w")),
		stalls("stop-in-headers", "stops in the middle of a header field", "within", raw(hang, "{head}Content-Le")),
		stalls("stop-after-headers", "stops before the body", "stalled", raw(hang, "{head}Content-Length: {len}\n\n")),
		firstHalf(stalls("stop-in-body", "stops in the middle of the body", "stalled", raw(hang, "{head}Content-Length: {len}\n\n{half}"))),
		wholeBody(stalls("stop-before-end", "sends the whole body, and not the end of it", "stalled", raw(hang, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
		firstHalf(stalls("slow-body", "sends a body without end, a byte at a time", "stalled", drip("{head}\n{half}", " "))),
		stalls("slow-chunks", "sends chunks of a byte without end, one at a time", "stalled", drip("{head}Transfer-Encoding: chunked\n\n", "1\n \n")),
		stalls("slow-early-hints", "sends interim responses without end, one at a time", "within", drip("", "HTTP/1.1 103 Early Hints\nLink: </x>\n\n")),
		harmless("late", "responds after a pause", func(x *exchange) bool { return x.wait(5*byteInterval) && x.respond() }),
		harmless("slow-but-whole", "sends the response in pieces", pieces(10, "{head}Content-Length: {len}\n\n{body}")),
		harmless("slow-chunks-but-whole", "sends the response in pieces and chunks", pieces(10, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n0\n\n")),
	}
}

// broken returns connections that end before the response.
func broken() []*Fault {
	return []*Fault{
		repeated(noResponse("close-before-status", "closes every connection instead of a response", "closed", raw(shut, ""))),
		repeated(noResponse("reset-before-status", "resets every connection instead of a response", "reset", raw(reset, ""))),
		repeated(harmless("close-reused", "closes the connection instead of a response, if it is reused", reused(raw(shut, ""), (*exchange).respond))),
		repeated(harmless("reset-reused", "resets the connection instead of a response, if it is reused", reused(raw(reset, ""), (*exchange).respond))),
		repeated(harmless("timeout-reused", "responds with 408 if the connection is reused", reused(raw(keep, "HTTP/1.1 408 Request Timeout\nContent-Length: 0\n\n"), (*exchange).respond))),
		harmless("timeout-idle", "sends 408 after the response, and closes the connection", raw(shut, "{head}Content-Length: {len}\n\n{body}HTTP/1.1 408 Request Timeout\nConnection: close\nContent-Length: 0\n\n")),
		repeated(notFound("timeout-always", "responds with 408", 408, raw(keep, "HTTP/1.1 408 Request Timeout\nContent-Length: 0\n\n"))),
		harmless("close-unannounced", "closes the connection after the response without Connection: close", raw(shut, "{head}Content-Length: {len}\n\n{body}")),
		harmless("reset-unannounced", "resets the connection after the answer", raw(reset, "{head}Content-Length: {len}\n\n{body}")),
		harmless("old-protocol", "responds with HTTP/1.0, and closes the connection", raw(shut, "HTTP/1.0 200 OK\nContent-Type: {type}\n\n{body}")),
		noResponse("close-in-status", "closes the connection in the middle of the status line", "valid HTTP", raw(shut, "HTTP/1.1 20")),
		noResponse("reset-in-status", "resets the connection in the middle of the status line", "valid HTTP", raw(reset, "HTTP/1.1 20")),
		alwaysRepeated(noResponse("close-in-headers", "closes the connection in the middle of a header field", "ends in its header", raw(shut, "{head}Content-Le"))),
		alwaysRepeated(noResponse("reset-in-headers", "resets the connection in the middle of a header field", "ends in its header", raw(reset, "{head}Content-Le"))),
		firstHalf(noResponse("close-in-body", "closes the connection in the middle of the body", "the response ends", raw(shut, "{head}Content-Length: {len}\n\n{half}"))),
		firstHalf(noResponse("reset-in-body", "resets the connection in the middle of the body", "reset", raw(reset, "{head}Content-Length: {len}\n\n{half}"))),
		firstHalf(noResponse("reset-in-open-body", "resets the connection in the middle of a body of no stated length", "reset", raw(reset, "{head}\n{half}"))),
		firstHalf(noResponse("close-in-chunk", "closes the connection in the middle of a chunk", "the response ends", raw(shut, "{head}Transfer-Encoding: chunked\n\n{hex}\n{half}"))),
		wholeBody(noResponse("close-before-last-chunk", "closes the connection before the last chunk", "the response ends", raw(shut, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
		wholeBody(noResponse("reset-before-last-chunk", "resets the connection before the last chunk", "reset", raw(reset, "{head}Transfer-Encoding: chunked\n\n{hex}\n{body}\n"))),
	}
}
