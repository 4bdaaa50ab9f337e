// Package credentials adds to requests what lets them into a site: header fields, Basic
// authentication and cookies. Each belongs to one origin (scheme, host and port), and no request
// to another origin has it.
package credentials

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Config lists credentials.
type Config struct {
	Start       []robotsext.Origin // the origins of Header, CookieFile, KeepCookies and Netrc
	Header      []string           // "Name: value"
	HeaderFor   []string           // "ORIGIN Name: value"
	BasicAuth   []string           // "https://user:password@host"
	CookieFile  string             // cookies in the Netscape format; empty: none
	KeepCookies bool               // keep the cookies of responses, and send them back
	Netrc       bool               // read users and passwords from the netrc file
}

// Store holds the credentials of each origin. A nil Store holds none. It is safe for concurrent
// use.
type Store struct {
	fields map[robotsext.Origin]http.Header
	start  map[robotsext.Origin]bool // those with cookies
	jar    http.CookieJar            // nil: no cookies are sent
	keep   bool                      // keep the cookies of responses
	names  map[string]bool           // of all fields
}

// Field names that an origin learns only with a request for content; see [Store.Apply].
const (
	authorization = "Authorization"
	cookie        = "Cookie"
)

// New reads the files that cfg names. The error is an [*Error].
func New(cfg Config) (*Store, error) {
	s := &Store{
		fields: make(map[robotsext.Origin]http.Header), start: make(map[robotsext.Origin]bool),
		keep: cfg.KeepCookies, names: map[string]bool{authorization: true, cookie: true},
	}
	for _, origin := range cfg.Start {
		s.start[origin] = true
	}
	for _, text := range cfg.BasicAuth {
		origin, value, err := ParseBasicAuth(text)
		if err := s.add("basic-auth", origin, authorization, value, err); err != nil {
			return nil, err
		}
	}
	for _, text := range cfg.Header {
		name, value, err := ParseHeader(text)
		for origin := range s.start {
			if err := s.add("header", origin, name, value, err); err != nil {
				return nil, err
			}
		}
	}
	for _, text := range cfg.HeaderFor {
		origin, name, value, err := ParseHeaderFor(text)
		if err := s.add("header-for", origin, name, value, err); err != nil {
			return nil, err
		}
	}
	if cfg.Netrc {
		if err := s.readNetrc(); err != nil {
			return nil, &Error{"netrc", err}
		}
	}
	if !cfg.KeepCookies && cfg.CookieFile == "" {
		return s, nil
	}
	s.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // it never fails
	if cfg.CookieFile != "" {
		if err := s.readCookies(cfg.CookieFile); err != nil {
			return nil, &Error{"cookie-file", err}
		}
	}
	return s, nil
}

// Error is a problem with the credentials of one key of the configuration. It never repeats a
// value.
type Error struct {
	Key     string
	Problem error
}

func (e *Error) Error() string { return e.Key + ": " + e.Problem.Error() }

// Unwrap returns the problem.
func (e *Error) Unwrap() error { return e.Problem }

// add adds a field of an origin, unless err says why the key has none.
func (s *Store) add(key string, origin robotsext.Origin, name, value string, err error) error {
	if err != nil {
		return &Error{key, err}
	}
	if name == authorization && s.fields[origin].Get(name) != "" {
		return &Error{key, fmt.Errorf("%s has two values for %s; give one", origin, name)}
	}
	if s.fields[origin] == nil {
		s.fields[origin] = make(http.Header)
	}
	s.fields[origin].Add(name, value)
	s.names[name] = true
	return nil
}

// Apply adds to a request the credentials of its origin. Content says that a page or a sitemap is
// requested: only such requests have passwords and cookies (ROB-FET-18).
func (s *Store) Apply(req *http.Request, content bool) {
	origin, err := robotsext.OriginOf(req.URL)
	if err != nil || !s.Has(origin) {
		return
	}
	for name, values := range s.fields[origin] {
		if content || name != authorization && name != cookie {
			req.Header[name] = values
		}
	}
	if content && s.jar != nil && s.start[origin] {
		if pairs := s.cookies(req); pairs != "" {
			req.Header.Set(cookie, strings.Join(append(slices.Clip(req.Header[cookie]), pairs), "; "))
		}
	}
}

// Has reports whether requests to an origin may have credentials.
func (s *Store) Has(origin robotsext.Origin) bool {
	return s != nil && (s.fields[origin] != nil || s.jar != nil && s.start[origin])
}

// cookies returns the cookies of a request, as its field Cookie has them. Unlike
// [http.Request.AddCookie] it changes no value.
func (s *Store) cookies(req *http.Request) string {
	var pairs []string
	for _, c := range s.jar.Cookies(req.URL) {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}

// Keep keeps the cookies that a response sets.
func (s *Store) Keep(req *http.Request, resp *http.Response) {
	if s == nil || !s.keep {
		return
	}
	if origin, err := robotsext.OriginOf(req.URL); err == nil && s.start[origin] {
		s.jar.SetCookies(req.URL, resp.Cookies())
	}
}

// IsSecret reports whether an archive must not have a field of a request or a response.
func (s *Store) IsSecret(name string) bool {
	return s != nil && (s.names[textproto.CanonicalMIMEHeaderKey(name)] || s.keep && strings.EqualFold(name, "Set-Cookie"))
}

// basic returns the field Authorization of Basic authentication (RFC 7617).
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
