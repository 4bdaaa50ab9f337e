package faultsite

import "strings"

// meanings are answers whose status and body do not go together, and those that only
// mean something else for a robots.txt.
func meanings() []*Fault {
	withBody := func(status string) act {
		return raw(keep, "HTTP/1.1 "+status+"\nContent-Type: {type}\nContent-Length: {len}\n\n{body}")
	}
	return []*Fault{
		{
			Name: "204-with-body", Does: "says that there is no content, and sends it",
			Page: fetched(204), Robots: rules().status(204).opening(), Sitemap: faulty("empty").status(204),
			act: withBody("204 No Content"),
		},
		{
			Name: "205-with-body", Does: "asks to reset the form that there is none of, with a body",
			Page: whole().status(205), Robots: rules().status(205).opening(), Sitemap: read().status(205),
			act: withBody("205 Reset Content"),
		},
		{
			Name: "206-unasked", Does: "sends a part that nobody asked for",
			Page: whole().status(206), Robots: unreachable("206"), Sitemap: read().status(206),
			act: raw(keep, "HTTP/1.1 206 Partial Content\nContent-Type: {type}\nContent-Range: bytes 0-9/1000\nContent-Length: {len}\n\n{body}"),
		},
		{
			Name: "304-unasked", Does: "says that nothing has changed since nobody asked",
			Page: fetched(304), Robots: unreachable("304").status(304), Sitemap: missing(304),
			act: raw(keep, "HTTP/1.1 304 Not Modified\nETag: \"x\"\n\n"),
		},
		{
			Name: "304-with-body", Does: "says that nothing has changed, and sends it",
			Page: fetched(304), Robots: unreachable("304").status(304), Sitemap: missing(304),
			act: withBody("304 Not Modified"),
		},
		waits("answer-to-head", "sends the header alone, as if asked for no more", "come to a halt", raw(hang, "{head}Content-Length: {len}\n\n")),
		{
			Name: "empty", Does: "sends a body without a byte",
			Page: fetched(200), Robots: rules().opening(), Sitemap: faulty("empty"),
			act: raw(keep, "{head}Content-Length: 0\n\n"),
		},
		{
			Name: "empty-and-closed", Does: "sends a header, and closes the connection",
			Page: fetched(200), Robots: rules().opening(), Sitemap: faulty("empty"),
			act: raw(shut, "{head}\n"),
		},
		{
			Name: "not-found", Does: "has not found it, and shows it",
			Page: fetched(404), Robots: open(404), Sitemap: missing(404), act: withBody("404 Not Found"),
		},
		{
			Name: "unauthorized", Does: "asks for a password",
			Page: fetched(401), Robots: open(401), Sitemap: missing(401), act: withBody("401 Unauthorized\nWWW-Authenticate: Basic realm=\"x\""),
		},
		{
			Name: "proxy-password", Does: "asks for the password of a proxy that there is none of",
			Page: fetched(407), Robots: unreachable("407").status(407), Sitemap: missing(407), act: withBody("407 Proxy Authentication Required\nProxy-Authenticate: Basic realm=\"x\""),
		},
		{
			Name: "type-lies", Does: "says that it sends a picture",
			Page: fetched(200), Robots: rules(), Sitemap: read(), act: raw(keep, "HTTP/1.1 200 OK\nContent-Type: image/png\nContent-Length: {len}\n\n{body}"),
		},
		fine("type-missing", "does not say what it sends", raw(keep, "HTTP/1.1 200 OK\nContent-Length: {len}\n\n{body}")),
		fine("type-garbage", "says what it sends so that nobody understands it", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html;;; charset=\"\x80;=/\nContent-Length: {len}\n\n{body}")),
		fine("charset-unknown", "names a charset that nobody knows", raw(keep, "HTTP/1.1 200 OK\nContent-Type: text/html; charset=x-martian\nContent-Length: {len}\n\n{body}")),
	}
}

// redirects are answers that lead nowhere.
func redirects() []*Fault {
	nowhere := func(name, does, location string) *Fault {
		return &Fault{
			Name: name, Does: does, Page: fetched(302), Robots: unreachable("302").status(302), Sitemap: missing(302),
			act: raw(keep, "HTTP/1.1 302 Found\n"+location+"Content-Length: 0\n\n"),
		}
	}
	return []*Fault{
		{
			Name: "redirect-to-itself", Does: "redirects to the same URL",
			Page: fetched(302), Robots: open(302), Sitemap: missing(302),
			act: raw(keep, "HTTP/1.1 302 Found\nLocation: {path}\nContent-Length: 0\n\n"),
		},
		{
			Name: "redirect-in-a-circle", Does: "redirects from one to the other and back",
			Page: fetched(301), Robots: open(301), Sitemap: missing(301),
			act: func(x *exchange) bool {
				next := map[string]string{faultPath + "/1": faultPath + "/2", faultPath + "/2": faultPath + "/3"}[x.path]
				if next == "" {
					next = faultPath + "/1"
				}
				x.sendLast("HTTP/1.1 301 Moved Permanently\r\nLocation: " + next + "\r\nContent-Length: 0\r\n\r\n")
				return true
			},
		},
		{
			Name: "redirect-without-end", Does: "redirects to another URL each time",
			Page: Want{As: Chained, Status: 302}, Robots: open(302), Sitemap: Want{As: Chained, Status: 302},
			act: func(x *exchange) bool {
				x.sendLast("HTTP/1.1 302 Found\r\nLocation: " + faultPath + "/" + strings.Repeat("x", strings.Count(x.path, "x")+1) + "\r\nContent-Length: 0\r\n\r\n")
				return true
			},
		},
		nowhere("location-missing", "redirects, and does not say where to", ""),
		nowhere("location-empty", "redirects to nothing", "Location: \n"),
		nowhere("location-garbage", "redirects to what is no URL", "Location: http://[::1:bad/\xff%%\n"),
		nowhere("location-script", "redirects to a script", "Location: javascript:alert(1)\n"),
		nowhere("location-file", "redirects to a file of the reader's", "Location: file:///etc/passwd\n"),
		nowhere("location-long", "redirects to a URL of 100 KiB", "Location: /"+strings.Repeat("x", 100<<10)+"\n").open404(),
		nowhere("location-no-port", "redirects to a port that there is none of", "Location: http://127.0.0.1:99999/\n"),
		{
			Name: "location-closed", Does: "redirects to what robots.txt closes",
			Page: fetched(302), Robots: Want{}, Sitemap: missing(302),
			act: raw(keep, "HTTP/1.1 302 Found\nLocation: "+closedPath+"elsewhere\nContent-Length: 0\n\n"),
		},
		fine("refresh", "asks to go elsewhere by a field that is none", raw(keep, "{head}Refresh: 0; url="+closedPath+"page\nContent-Length: {len}\n\n{body}")),
	}
}

// open404 is for a redirect that a robots.txt may have: there is nothing there.
func (f *Fault) open404() *Fault {
	f.Robots = open(404)
	return f
}
