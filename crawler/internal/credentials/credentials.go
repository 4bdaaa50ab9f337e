// Package credentials adds to requests what lets them into a site: header fields, Basic
// authentication and cookies. They belong to origins (scheme, host and port), and requests to
// other origins do not have them.
package credentials

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Config lists credentials.
type Config struct {
	Start       []robotsext.Origin // the origins of Header, CookieFile, KeepCookies and Netrc
	Header      []string           // "Name: value"
	HeaderFor   []string           // "ORIGIN Name: value"
	BasicAuth   []string           // "https://user:password@host"
	CookieFile  string             // cookies in the Netscape format; empty if none
	KeepCookies bool               // keep the cookies of responses, and send them back
	Netrc       bool               // read users and passwords from the netrc file
}

// Store holds the credentials of each origin. A nil Store holds none. It is safe for concurrent
// use.
type Store struct {
	fields  map[robotsext.Origin]http.Header
	cookies map[robotsext.Origin]*cookies // of the start origins; none are sent if empty
	keep    bool                          // keep the cookies of responses

	unusedFile bool // see UnusedCookieFile
}

// Field names that an origin learns only with a request for content; see [Store.Apply].
const (
	authorization = "Authorization"
	cookie        = "Cookie"
)

// New reads the files that cfg names. The error is an [*Error].
func New(cfg Config) (*Store, error) {
	s := &Store{fields: make(map[robotsext.Origin]http.Header), cookies: make(map[robotsext.Origin]*cookies), keep: cfg.KeepCookies}
	for _, text := range cfg.BasicAuth {
		origin, value, err := ParseBasicAuth(text)
		if err := s.add("basic-auth", origin, authorization, value, err); err != nil {
			return nil, err
		}
	}
	for _, text := range cfg.Header {
		name, value, err := ParseHeader(text)
		for _, origin := range distinct(cfg.Start) {
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
		if err := s.readNetrc(cfg.Start); err != nil {
			return nil, &Error{"netrc", err}
		}
	}
	if !cfg.KeepCookies && cfg.CookieFile == "" {
		return s, nil
	}
	for _, origin := range cfg.Start {
		s.cookies[origin] = newCookies()
	}
	if cfg.CookieFile != "" {
		if err := s.readCookies(cfg.CookieFile); err != nil {
			return nil, &Error{"cookie-file", fmt.Errorf("%w; name another file with cookie-file", err)}
		}
	}
	return s, nil
}

// distinct returns each origin once.
func distinct(origins []robotsext.Origin) []robotsext.Origin {
	return slices.Compact(slices.Sorted(slices.Values(origins)))
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

// add adds a field of an origin, unless err says why the key has no origin.
func (s *Store) add(key string, origin robotsext.Origin, name, value string, err error) error {
	if err != nil {
		return &Error{key, err}
	}
	if before := s.fields[origin].Get(name); name == authorization && before != "" {
		if before == value {
			return nil
		}
		return &Error{key, fmt.Errorf("%s has two values for %s; give one", origin, name)}
	}
	if s.fields[origin] == nil {
		s.fields[origin] = make(http.Header)
	}
	s.fields[origin].Add(name, value)
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
	if own := s.cookies[origin]; content && own != nil {
		if field := own.field(req.URL); field != "" {
			req.Header.Set(cookie, strings.Join(append(slices.Clip(req.Header[cookie]), field), "; "))
		}
	}
}

// CookieHash returns a hash of the cookies that a request has now, or of none if u is nil. It returns 0
// if cookies of responses are not kept.
func (s *Store) CookieHash(u *url.URL) uint64 {
	if s == nil || !s.keep {
		return 0
	}
	if u == nil {
		u = new(url.URL)
	}
	field := ""
	if origin, err := robotsext.OriginOf(u); err == nil && s.cookies[origin] != nil {
		field = s.cookies[origin].field(u)
	}
	return max(xxhash.Sum64String(field), 1)
}

// Has reports whether the store has credentials for an origin.
func (s *Store) Has(origin robotsext.Origin) bool {
	return s != nil && (s.fields[origin] != nil || s.cookies[origin] != nil)
}

// Empty reports whether the store has no credentials for any origin.
func (s *Store) Empty() bool { return s == nil || len(s.fields)+len(s.cookies) == 0 }

// Keep keeps the cookies that a response sets.
func (s *Store) Keep(req *http.Request, resp *http.Response) {
	if s == nil || !s.keep {
		return
	}
	if origin, err := robotsext.OriginOf(req.URL); err == nil && s.cookies[origin] != nil {
		s.cookies[origin].keep(req.URL, resp.Cookies())
	}
}

// Omit returns the fields of a request and of its response that archives omit.
func (s *Store) Omit(u *url.URL) (request, response map[string]bool) {
	origin, err := robotsext.OriginOf(u)
	if err != nil || !s.Has(origin) {
		return nil, nil
	}
	request = map[string]bool{authorization: true, cookie: true}
	for name := range s.fields[origin] {
		request[name] = true
	}
	return request, map[string]bool{"Set-Cookie": true}
}

// basic returns the field Authorization of Basic authentication (RFC 7617).
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
