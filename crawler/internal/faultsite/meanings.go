package faultsite

import "strings"

// meanings are answers whose status and body do not go together, and those that only
// mean something else for a robots.txt.
func meanings() []*Fault {
	withBody := func(status string) act {
		return raw(keep, "HTTP/1.1 "+status+"\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")
	}
	return []*Fault{
		fault("204-with-body", "says that there is no content, and sends it", fetched(204), rules().status(204).opening(), faulty("empty").status(204),
			withBody("204 No Content")),
		fault("205-with-body", "asks to reset the form that there is none of, with a body", whole().status(205), rules().status(205).opening(), read().status(205),
			withBody("205 Reset Content")),
		fault("206-unasked", "sends a part that was not requested", whole().status(206), unreachable("206"), read().status(206),
			raw(keep, "HTTP/1.1 206 Partial Content\nContent-Type: {type}\nContent-Range: bytes 0-9/1000\nContent-Length: {len}\n\n{body}")),
		refuses("304-unasked", "says that nothing has changed since nobody asked", 304, raw(keep, "HTTP/1.1 304 Not Modified\nETag: \"x\"\n\n")),
		refuses("304-with-body", "says that nothing has changed, and sends it", 304, withBody("304 Not Modified")),
		waits("answer-to-head", "sends the header alone, as to HEAD", "stalled", raw(hang, "{head}Content-Length: {len}\n\n")),
		fault("empty", "sends a body without a byte", fetched(200), rules().opening(), faulty("empty"),
			raw(keep, "{head}Content-Length: 0\n\n")),
		fault("empty-and-closed", "sends a header, and closes the connection", fetched(200), rules().opening(), faulty("empty"),
			raw(shut, "{head}\n")),
		absent("not-found", "has not found it, and shows it", 404, withBody("404 Not Found")),
		absent("unauthorized", "asks for a password", 401, withBody("401 Unauthorized\nWWW-Authenticate: Basic realm=\"x\"")),
		refuses("proxy-password", "asks for the password of a proxy that there is none of", 407, withBody("407 Proxy Authentication Required\nProxy-Authenticate: Basic realm=\"x\"")),
		fault("type-lies", "says that it sends a picture", fetched(200), rules(), read(),
			raw(keep, "HTTP/1.1 200 OK\nContent-Type: image/png\nContent-Length: {len}\n\n{body}")),
		fine("type-missing", "does not say what it sends", raw(keep, "HTTP/1.1 200 OK\nContent-Length: {len}\n\n{body}")),
		fine("type-garbage", "says what it sends so that nobody understands it", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html;;; charset=\"\x80;=/\nContent-Length: {len}\n\n{body}")),
		fine("charset-unknown", "names an unknown charset", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html; charset=x-martian\nContent-Length: {len}\n\n{body}")),
	}
}

// redirects are answers that lead nowhere.
func redirects() []*Fault {
	nowhere := func(name, does, location string) *Fault {
		return refuses(name, does, 302, raw(keep, "HTTP/1.1 302 Found\n"+location+"Content-Length: 0\n\n"))
	}
	chained := Want{As: Chained, Status: 302}
	return []*Fault{
		absent("redirect-to-itself", "redirects to the same URL", 302, raw(keep, "HTTP/1.1 302 Found\nLocation: {path}\nContent-Length: 0\n\n")),
		absent("redirect-in-a-circle", "redirects from one to the other and back", 301,
			func(x *exchange) bool {
				next := map[string]string{faultPath + "/1": faultPath + "/2", faultPath + "/2": faultPath + "/3"}[x.path]
				if next == "" {
					next = faultPath + "/1"
				}
				x.sendLast("HTTP/1.1 301 Moved Permanently\r\nLocation: " + next + "\r\nContent-Length: 0\r\n\r\n")
				return true
			}),
		fault("redirect-without-end", "redirects to another URL each time", chained, open(302), chained,
			func(x *exchange) bool {
				x.sendLast("HTTP/1.1 302 Found\r\nLocation: " + faultPath + "/" + strings.Repeat("x", strings.Count(x.path, "x")+1) + "\r\nContent-Length: 0\r\n\r\n")
				return true
			}),
		nowhere("location-missing", "redirects, and does not say where to", ""),
		nowhere("location-empty", "redirects to nothing", "Location: \n"),
		nowhere("location-garbage", "redirects to what is no URL", "Location: http://[::1:bad/\xff%%\n"),
		nowhere("location-script", "redirects to a script", "Location: javascript:alert(1)\n"),
		nowhere("location-file", "redirects to a file of the reader's", "Location: file:///etc/passwd\n"),
		fault("location-long", "redirects to a URL of 100 KiB", fetched(302), open(404), missing(302),
			raw(keep, "HTTP/1.1 302 Found\nLocation: /"+strings.Repeat("x", 100<<10)+"\nContent-Length: 0\n\n")),
		nowhere("location-no-port", "redirects to a port that there is none of", "Location: http://127.0.0.1:99999/\n"),
		fault("location-closed", "redirects to what robots.txt closes", fetched(302), Want{}, missing(302),
			raw(keep, "HTTP/1.1 302 Found\nLocation: "+closedPath+"elsewhere\nContent-Length: 0\n\n")),
		fine("refresh", "asks to go elsewhere by a field that is none", raw(keep, "{head}Refresh: 0; url="+closedPath+"page\nContent-Length: {len}\n\n{body}")),
	}
}
