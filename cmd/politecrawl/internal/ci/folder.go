package ci

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A folder is a static site in a directory. While it is open, it is served on loopback as the
// site of an origin.
type folder struct {
	dir    string   // from the working directory if it is in there, else as the user named it
	origin string   // of the site
	base   string   // the directory of the site that the folder has: /, or /project/
	root   *os.Root // keeps symbolic links inside dir; it follows no absolute ones

	robotsFrom string // the file that replaces the robots.txt of the host; empty if the folder has it
	robotsText []byte

	server   *http.Server
	listener net.Listener
}

// openFolder serves a directory on a free port of loopback, as the directory of the site that base
// names.
func openFolder(dir string, base *url.URL) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	f := &folder{dir: fromHere(dir), origin: originOf(base), base: base.Path, root: root, listener: listener}
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	go func() { _ = f.server.Serve(listener) }() // it ends when close is called
	return f, nil
}

func (f *folder) close() error { return errors.Join(f.server.Close(), f.root.Close()) }

// local returns the folder as the site that a crawl finds at the server.
func (f *folder) local() *crawler.LocalSite {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}
	server, _ := frontier.HostOf(f.origin) // it has a host
	site := &crawler.LocalSite{Server: server, Dir: f.base, Transport: toAddress{transport, f.listener.Addr().String(), f.origin}}
	if f.has(sitemapFile) {
		site.Sitemap = f.origin + f.base + sitemapFile
	}
	return site
}

// toAddress sends requests to an address, whatever the host of their URL is. It redirects requests
// with the other scheme to the origin, as web servers do.
type toAddress struct {
	*http.Transport

	addr   string
	origin string
}

// RoundTrip implements http.RoundTripper.
func (t toAddress) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(t.origin, req.URL.Scheme+":") {
		return &http.Response{
			Status: "301 Moved Permanently", StatusCode: http.StatusMovedPermanently, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Location": {t.origin + req.URL.RequestURI()}}, Body: http.NoBody, Request: req,
		}, nil
	}
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host, out.Host = "http", t.addr, req.URL.Host
	return t.Transport.RoundTrip(out)
}

// ServeHTTP responds as a web server for static files does: a directory without its slash
// redirects, index.html is its page, and 404.html the page of errors. It lists no directory. As
// GitHub Pages, GitLab Pages and Netlify do, it serves about.html for about, unless a file has that
// name.
func (f *folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served", http.StatusMethodNotAllowed)
		return
	}
	if f.robotsFrom != "" && r.URL.Path == "/"+robotsFile {
		w.Header().Set("Content-Type", mediaType(robotsFile))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.robotsText))
		return
	}
	name, ok := f.inside(r.URL.Path)
	if !ok {
		f.notFound(w, r)
		return
	}
	isDir := strings.HasSuffix(r.URL.Path, "/")
	name, info, err := f.find(name, isDir)
	switch {
	case err == nil && info.IsDir() && !isDir:
		target := url.URL{Path: path.Clean("/"+r.URL.Path) + "/", RawQuery: r.URL.RawQuery}
		w.Header().Set("Location", target.String())
		w.WriteHeader(http.StatusMovedPermanently)
	case err == nil && info.IsDir():
		f.serve(w, r, path.Join(name, indexFile))
	case err == nil && isDir: // a file is no directory
		f.notFound(w, r)
	default:
		f.serve(w, r, name)
	}
}

// The files that a web server gives a meaning.
const (
	indexFile   = "index.html"
	errorFile   = "404.html"
	robotsFile  = "robots.txt"
	sitemapFile = "sitemap.xml"
)

// inside returns the path in the folder for the path of a URL. It is not ok if the URL is outside
// of the base.
func (f *folder) inside(urlPath string) (name string, ok bool) {
	clean := path.Clean("/" + urlPath)
	if clean == f.base || clean+"/" == f.base {
		return ".", true
	}
	return strings.CutPrefix(clean, f.base)
}

// find returns the file or directory that a path names. The path ends with a slash if isDir.
func (f *folder) find(inside string, isDir bool) (name string, info fs.FileInfo, err error) {
	info, err = f.root.Stat(inside)
	if !isDir && (err != nil || info.IsDir()) {
		if page, pageErr := f.root.Stat(inside + ".html"); pageErr == nil && page.Mode().IsRegular() {
			return inside + ".html", page, nil
		}
	}
	return inside, info, err
}

// serve sends a file. Files that are missing, unreadable or outside the folder are not found.
func (f *folder) serve(w http.ResponseWriter, r *http.Request, name string) {
	file, info, err := f.open(name)
	if err != nil {
		f.notFound(w, r)
		return
	}
	defer func() { _ = file.Close() }() // it was only read
	w.Header().Set("Content-Type", mediaType(name))
	http.ServeContent(w, r, "", info.ModTime(), file)
}

func (f *folder) notFound(w http.ResponseWriter, r *http.Request) {
	text, err := f.read(errorFile)
	if err != nil {
		text = []byte("<!doctype html><title>404 Not Found</title><h1>404 Not Found</h1>\n")
	}
	w.Header().Set("Content-Type", mediaType(errorFile))
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // the client may be gone
	}
}

// mediaTypes are the types that package mime knows only on some machines.
var mediaTypes = map[string]string{
	".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".xml": "text/xml", ".xsl": "text/xml",
	".rss": "application/rss+xml", ".atom": "application/atom+xml", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml",
	".webmanifest": "application/manifest+json", ".map": "application/json",
	".ico": "image/x-icon", ".bmp": "image/bmp", ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".mp3": "audio/mpeg", ".mp4": "video/mp4", ".webm": "video/webm", ".ogg": "audio/ogg", ".vtt": "text/vtt; charset=utf-8",
	".gz": "application/gzip", ".zip": "application/zip",
}

// mediaType returns the type of a file by its name. Unknown files are bytes, as for web servers:
// the content is not examined. HTML and XML have no charset, because their files declare one,
// which Content-Type would override.
func mediaType(name string) string {
	ending := strings.ToLower(path.Ext(name))
	if known := mediaTypes[ending]; known != "" {
		return known
	}
	known := mime.TypeByExtension(ending)
	switch essence, _, _ := strings.Cut(known, ";"); essence {
	case "":
		return "application/octet-stream"
	case "text/html", "text/xml":
		return essence
	}
	return known
}

// fileOf returns the path of the file that a URL of the site names, in the folder and for people.
// The file may be missing. It is not ok if the URL is not of the site.
func (f *folder) fileOf(raw string) (inside, name string, ok bool) {
	u, err := url.Parse(raw)
	if err != nil || !strings.HasSuffix(f.origin, "://"+u.Host) { // by either scheme
		return "", "", false
	}
	if inside, ok = f.inside(u.Path); !ok {
		return "", "", false
	}
	isDir := strings.HasSuffix(u.Path, "/")
	inside, info, err := f.find(inside, isDir)
	if err == nil && info.IsDir() || err != nil && isDir {
		inside = path.Join(inside, indexFile)
	}
	return inside, filepath.Join(f.dir, filepath.FromSlash(inside)), true
}

// unserved returns why the file of a URL is not served although it exists, or "" if it is served or
// does not exist.
func (f *folder) unserved(raw string) string {
	inside, name, ok := f.fileOf(raw)
	if !ok {
		return ""
	}
	info, err := f.root.Stat(inside)
	switch _, exists := os.Stat(name); {
	case err != nil && exists == nil:
		return name + " is behind a symbolic link that is absolute or leaves the folder"
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return name + " is " + typeOf(info)
	}
	return ""
}

// typeOf names the type of a file that is not regular.
func typeOf(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

// open opens a regular file in the folder. Files of other types are errors, and are not opened.
func (f *folder) open(inside string) (*os.File, fs.FileInfo, error) {
	info, err := f.root.Stat(inside)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%q is %s", inside, typeOf(info))
	}
	file, err := f.root.Open(inside)
	return file, info, err
}

// has reports whether the folder has a regular file.
func (f *folder) has(inside string) bool {
	info, err := f.root.Stat(inside)
	return err == nil && info.Mode().IsRegular()
}

// regular returns a usage error if one of some files is neither regular nor a directory: to open it
// may block forever.
func regular(names ...string) error {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return cli.Misuse("%q is %s; name a regular file", name, typeOf(info))
		}
	}
	return nil
}

// read returns the start of a file in the folder.
func (f *folder) read(inside string) ([]byte, error) {
	file, _, err := f.open(inside)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, maxSource))
}

// maxSource is how much of a file is searched for a line.
const maxSource = 16 << 20

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// robots returns the robots.txt of the host. Below a base other than /, the folder does not have it.
func (f *folder) robots() *robotstxt.File {
	text := f.robotsText
	if f.robotsFrom == "" && f.base == "/" {
		text, _ = f.read(robotsFile) // the crawl finds none either
	}
	return robotstxt.Parse(text, nil)
}

// robotsFile returns the file that replaces the robots.txt at a URL, or "" for standard input. It is not
// ok if none does.
func (f *folder) robotsFile(u string) (name string, ok bool) {
	switch {
	case f.robotsFrom == "" || u != f.origin+"/"+robotsFile:
		return "", false
	case f.robotsFrom == cli.Stdin:
		return "", true
	}
	return fromHere(f.robotsFrom), true
}

// otherOrigin returns the origin of a sitemap in robots.txt, or of a URL in the sitemap of the folder,
// and what lists it. It returns empty strings if that is the origin of the folder.
func (f *folder) otherOrigin() (origin, lister string) {
	for _, s := range f.robots().Sitemaps {
		if u, err := url.Parse(s.URL); err == nil && u.Host != "" && originOf(u) != f.origin {
			return originOf(u), cli.InputName(cmp.Or(f.robotsFrom, filepath.Join(f.dir, robotsFile))) + " lists a sitemap"
		}
	}
	text, err := f.read(sitemapFile)
	if err != nil {
		return "", ""
	}
	for entry, err := range sitemap.Read(bytes.NewReader(text), nil) {
		if err != nil {
			break
		}
		if u, err := url.Parse(entry.Loc); err == nil && u.Host != "" && originOf(u) != f.origin {
			return originOf(u), filepath.Join(f.dir, sitemapFile) + " lists a URL"
		}
	}
	return "", ""
}

// hasStart reports whether a crawl of the folder finds a page: its index, or the pages of a sitemap.
func (f *folder) hasStart() bool {
	return f.has(indexFile) || f.has(sitemapFile) || len(f.robots().Sitemaps) > 0
}

// example names a folder below that has an index, for a message, or "" if there is none.
func (f *folder) example() string {
	pages, _ := fs.Glob(f.root.FS(), "*/"+indexFile) // the pattern is valid
	if len(pages) == 0 {
		return ""
	}
	return ", such as " + filepath.Join(f.dir, filepath.Dir(pages[0]))
}

// fromHere returns the path of a directory from the working directory if it is in there: CI
// systems know the files of a checkout by these paths.
func fromHere(dir string) string {
	abs, err := filepath.Abs(dir)
	here, hereErr := os.Getwd()
	if inside, relErr := filepath.Rel(here, abs); errors.Join(err, hereErr, relErr) == nil && filepath.IsLocal(inside) {
		return inside
	}
	return dir
}

// fileURI returns the path of a file as a URI, which is relative if the path is.
func fileURI(name string) string {
	if filepath.IsLocal(name) {
		return (&url.URL{Path: filepath.ToSlash(name)}).String()
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(name), "/")}).String()
}
