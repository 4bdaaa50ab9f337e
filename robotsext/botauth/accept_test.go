package botauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A challenger answers 401 with Accept-Signature unless a request has its nonce.
type challenger struct {
	accept, nonce string
	status        int

	requests []*http.Request
	bodies   []string
}

func (c *challenger) RoundTrip(req *http.Request) (*http.Response, error) {
	c.requests = append(c.requests, req)
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		c.bodies = append(c.bodies, string(body))
	}
	w := httptest.NewRecorder()
	if strings.Contains(req.Header.Get("Signature-Input"), `nonce="`+c.nonce+`"`) {
		w.WriteHeader(http.StatusOK)
		return w.Result(), nil
	}
	w.Header().Set("Accept-Signature", c.accept)
	w.WriteHeader(c.status)
	return w.Result(), nil
}

func TestSendAnswersAcceptSignatureOnce(t *testing.T) {
	const ask = `sig2=("@authority" "signature-agent";key="a");nonce="n1";tag="web-bot-auth"`
	s, dir := newTestSigner(t, &SignerOptions{Reuse: true})
	for name, test := range map[string]struct {
		accept   string
		status   int
		requests int
		input    string // part of the last Signature-Input
	}{
		"no field":                          {"", 401, 1, "sig1="},
		"a nonce":                           {ask, 401, 2, `sig2=("@authority" "signature-agent";key="a");`},
		"a nonce after 403":                 {ask, 403, 2, `nonce="n1"`},
		"another status":                    {ask, 429, 1, "sig1="},
		"the answer is refused too":         {strings.Replace(ask, "n1", "n2", 1), 401, 2, `nonce="n2"`},
		"more components":                   {`x=("@method" "@path" "user-agent");nonce="n1";tag="web-bot-auth"`, 401, 2, `x=("@authority" "signature-agent";key="x" "@method" "@path" "user-agent");`},
		"the whole field Signature-Agent":   {`x=("signature-agent" "@authority");nonce="n1";tag="web-bot-auth"`, 401, 2, `"signature-agent"`},
		"created and expires without value": {`x=();created;expires;nonce="n1";alg="ed25519";keyid="` + s.keyID + `";tag="web-bot-auth"`, 401, 2, `nonce="n1"`},
		"the second of two":                 {`x=("content-digest");tag="web-bot-auth", ` + ask, 401, 2, `sig2=`},
		"a field that the request lacks":    {`x=("content-digest");tag="web-bot-auth"`, 401, 1, "sig1="},
		"a component of responses":          {`x=("@status");tag="web-bot-auth"`, 401, 1, "sig1="},
		"another tag":                       {strings.Replace(ask, "web-bot-auth", "other", 1), 401, 1, "sig1="},
		"no tag":                            {`x=("@authority")`, 401, 1, "sig1="},
		"another key":                       {ask + `;keyid="other"`, 401, 1, "sig1="},
		"another algorithm":                 {ask + `;alg="rsa-pss-sha512"`, 401, 1, "sig1="},
		"an invalid agent key":              {strings.Replace(ask, `key="a"`, `key="A B"`, 1), 401, 1, "sig1="},
		"malformed":                         {`x=(`, 401, 1, "sig1="},
		"a value that is not a list":        {`x=1`, 401, 1, "sig1="},
		"a field of 9 KB":                   {`y=("` + strings.Repeat("a", 9<<10) + `"), ` + ask, 401, 1, "sig1="},
	} {
		t.Run(name, func(t *testing.T) {
			c := &challenger{accept: test.accept, nonce: "n1", status: test.status}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.example/p?q", strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("User-Agent", "examplebot/1.0")
			waits := 0
			resp, err := s.Send(c, req, func(context.Context) error { waits++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			last := c.requests[len(c.requests)-1]
			if len(c.requests) != test.requests || waits != test.requests-1 || !strings.Contains(last.Header.Get("Signature-Input"), test.input) {
				t.Errorf("%d requests after %d waits, the last with %q", len(c.requests), waits, last.Header.Get("Signature-Input"))
			}
			for i, sent := range c.requests {
				if c.bodies[i] != "body" {
					t.Errorf("request %d has the body %q", i+1, c.bodies[i])
				}
				if _, err := Verify(sent, dir, nil); err != nil && name != "the whole field Signature-Agent" {
					t.Errorf("request %d: %v", i+1, err)
				}
			}
			if len(req.Header) != 1 {
				t.Errorf("the caller's request was changed: %v", req.Header)
			}
		})
	}
}

func TestSendReturnsTheFirstResponseIfWaitFails(t *testing.T) {
	s, _ := newTestSigner(t, nil)
	c := &challenger{accept: `x=();tag="web-bot-auth"`, nonce: "none", status: 401}
	req := httptest.NewRequest(http.MethodGet, "https://a.example/", http.NoBody)
	resp, err := s.Send(c, req, func(context.Context) error { return errors.New("no time") })
	if err != nil || resp.StatusCode != 401 || len(c.requests) != 1 {
		t.Fatalf("%v after %d requests", err, len(c.requests))
	}
	_ = resp.Body.Close()
}

// The second signature is as old as the second request.
func TestSendSignsAfterTheWait(t *testing.T) {
	now := time.Unix(6000, 0)
	s, dir := newTestSigner(t, &SignerOptions{Now: func() time.Time { return now }})
	c := &challenger{accept: `x=();nonce="n1";tag="web-bot-auth"`, nonce: "n1", status: 401}
	req := httptest.NewRequest(http.MethodGet, "https://a.example/", http.NoBody)
	resp, err := s.Send(c, req, func(context.Context) error { now = now.Add(time.Hour); return nil })
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if _, err := Verify(c.requests[1], dir, &VerifyOptions{Now: s.opts.Now}); err != nil {
		t.Error(err)
	}
}

func TestSendDoesNotRepeatABodyThatCannotBeReadAgain(t *testing.T) {
	s, _ := newTestSigner(t, nil)
	c := &challenger{accept: `x=();tag="web-bot-auth"`, nonce: "none", status: 401}
	req := httptest.NewRequest(http.MethodPost, "https://a.example/", io.NopCloser(strings.NewReader("body")))
	resp, err := s.Send(c, req, nil)
	if err != nil || resp.StatusCode != 401 || len(c.requests) != 1 {
		t.Fatalf("%v after %d requests", err, len(c.requests))
	}
	_ = resp.Body.Close()
}

// A signature that a site asks for is valid, whatever it asks for.
func FuzzAcceptSignature(f *testing.F) {
	for _, seed := range []string{
		`sig2=("@authority" "signature-agent";key="a");nonce="n1";tag="web-bot-auth"`,
		`x=("@method" "@path" "user-agent");tag="web-bot-auth"`,
		`x=("signature-agent";key="a" "signature-agent";key="b");tag="web-bot-auth"`,
		`x=("@path";req 1 :YQ==: token);tag="web-bot-auth"`,
	} {
		f.Add(seed)
	}
	s, dir := newTestSigner(f, nil)
	f.Fuzz(func(t *testing.T, accept string) {
		req := httptest.NewRequest(http.MethodGet, "https://a.example/p?q", http.NoBody)
		req.Header.Set("User-Agent", "examplebot/1.0")
		form, ok := s.requestedForm(req, []string{accept})
		if !ok {
			return
		}
		err := s.signAs(req, form)
		if err == nil {
			_, err = Verify(req, dir, nil)
		}
		if err != nil && !errors.Is(err, WrongComponent) { // Verify accepts Signature-Agent only by key
			t.Errorf("%q: %v", accept, err)
		}
	})
}
