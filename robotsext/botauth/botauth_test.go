package botauth

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func newTestSigner(t testing.TB, opts *SignerOptions) (*Signer, *Directory) {
	t.Helper()
	key, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(key, "https://bot.example", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s, &Directory{URL: "https://bot.example", Keys: []JWK{key.Public()}}
}

func TestSignerReusesASignatureForOneMinuteAndAuthority(t *testing.T) {
	now := time.Unix(6000, 0)
	s, dir := newTestSigner(t, &SignerOptions{Reuse: true, Now: func() time.Time { return now }})
	sign := func(url string) string {
		req := httptest.NewRequest(http.MethodGet, url, http.NoBody)
		if err := s.Sign(req); err != nil {
			t.Fatal(err)
		}
		if id, err := Verify(req, dir, &VerifyOptions{Now: s.opts.Now}); err != nil || id.Nonce != "" {
			t.Errorf("%s: %+v %v", url, id, err)
		}
		return req.Header.Get("Signature")
	}
	first := sign("https://a.example/1")
	if sign("https://A.example:443/2") != first {
		t.Error("the signature of an authority is not reused")
	}
	if sign("https://b.example/") == first {
		t.Error("two authorities share a signature")
	}
	now = now.Add(time.Minute)
	if sign("https://a.example/1") == first {
		t.Error("a signature is reused after its minute")
	}
}

func TestSignerUsesANonceOnce(t *testing.T) {
	s, dir := newTestSigner(t, nil)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			req := httptest.NewRequest(http.MethodGet, "https://a.example/", http.NoBody)
			err := s.Sign(req)
			id, err2 := Verify(req, dir, nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || err2 != nil || id.Nonce == "" || seen[id.Nonce] {
				t.Errorf("%+v %v %v", id, err, err2)
			}
			seen[id.Nonce] = true
		}()
	}
	wg.Wait()
}

func TestPrivateKeyIsReadBackAndNeverPrinted(t *testing.T) {
	s, _ := newTestSigner(t, nil)
	pem, err := s.key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := s.key.JWK()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{pem, jwk} {
		if key, err := ParseKey(text); err != nil || key.Public() != s.key.Public() {
			t.Errorf("read back: %v", err)
		}
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+verb+verb+"\n", s.key, &s.key, s)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "key", s.key, "signer", s)
	text, _ := json.Marshal(map[string]any{"k": s.key})
	out.Write(text)
	seed := s.key.load().Seed()
	decimals := strings.Trim(fmt.Sprintf("%d", seed), "[]")
	for _, secret := range [][]byte{seed, []byte(hex.EncodeToString(seed)), []byte(base64.RawURLEncoding.EncodeToString(seed)), []byte(decimals)} {
		if bytes.Contains(out.Bytes(), secret) {
			t.Errorf("the secret is printed: %s", out.String())
		}
	}
}

func TestSignedDirectory(t *testing.T) {
	a, _ := GenerateKey()
	b, _ := GenerateKey()
	now := time.Unix(1e9, 0)
	body, h, err := SignDirectory("bot.example", now, now.Add(time.Hour), a, b)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := VerifyDirectory("bot.example", h, body, now)
	if err != nil || len(dir.Keys) != 2 {
		t.Fatal(dir, err)
	}
	changed := bytes.Replace(body, []byte(`"use":"sig"`), []byte(`"use":"SIG"`), 1)
	for _, test := range []struct {
		name, host string
		body       []byte
		now        time.Time
		want       Reason
	}{
		{"another host", "evil.example", body, now, WrongSignature},
		{"changed body", "bot.example", changed, now, WrongDigest},
		{"expired", "bot.example", body, now.Add(time.Hour), Expired},
		{"future", "bot.example", body, now.Add(-time.Hour), NotYetValid},
	} {
		if _, err := VerifyDirectory(test.host, h, test.body, test.now); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
	body, h, err = SignDirectory("bot.example", now, now.Add(time.Hour), a, b.Until(now.Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]int{59 * time.Second: 2, time.Minute: 1} {
		if dir, err := VerifyDirectory("bot.example", h, body, now.Add(after)); err != nil || len(dir.Keys) != want {
			t.Errorf("after %v: %v %v, want %d keys", after, dir, err, want)
		}
	}
	wrong := bytes.Replace(body, []byte(`"kid":"`), []byte(`"kid":"x`), 1)
	if _, err := ParseDirectory(wrong); !errors.Is(err, Malformed) {
		t.Errorf("wrong kid: %v", err)
	}
}

func FuzzParseDirectory(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if dir, err := ParseDirectory(body); err == nil {
			for _, k := range dir.Keys {
				if _, err := k.public(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func FuzzParseCard(f *testing.F) {
	f.Add([]byte(`{"client_id":"https://a.example/","jwks_uri":"https://a.example/j"}`), "https://a.example/ # x\n")
	f.Fuzz(func(t *testing.T, body []byte, registry string) {
		if c, err := ParseCard("https://a.example/", body); err == nil && c.ClientID != "https://a.example/" {
			t.Error(c)
		}
		cards, _ := ParseRegistry(registry)
		for _, c := range cards {
			if !strings.HasPrefix(strings.ToLower(c), "https://") {
				t.Error(c)
			}
		}
	})
}

// FuzzVerify uses a fixed key and time, so that inputs with its key id reach the
// covered components and the signature.
func FuzzVerify(f *testing.F) {
	key := newKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	dir := &Directory{URL: "https://bot.example", Keys: []JWK{key.Public()}}
	now := time.Unix(1e9, 0)
	s, err := NewSigner(key, dir.URL, &SignerOptions{Reuse: true, Now: func() time.Time { return now }})
	if err != nil {
		f.Fatal(err)
	}
	signed := httptest.NewRequest(http.MethodGet, "https://other.example/", http.NoBody)
	if err := s.Sign(signed); err != nil {
		f.Fatal(err)
	}
	f.Add(signed.Header.Get("Signature-Input"), signed.Header.Get("Signature"), signed.Header.Get("Signature-Agent"))
	f.Add(signed.Header.Get("Signature-Input"), signed.Header.Get("Signature"), `"https://bot.example"`)
	f.Add(`a=("@authority");tag="web-bot-auth"`, `a=:AAAA:`, `a="https://b.example";type=cimd`)
	f.Fuzz(func(t *testing.T, input, signature, agent string) {
		req := httptest.NewRequest(http.MethodGet, "https://a.example/", http.NoBody)
		req.Header = http.Header{"Signature-Input": {input}, "Signature": {signature}, "Signature-Agent": {agent}}
		for _, legacy := range []bool{false, true} {
			if _, err := Verify(req, dir, &VerifyOptions{Legacy: legacy, Now: func() time.Time { return now }}); err == nil {
				t.Error("a forged request is accepted")
			}
		}
		agents, _ := ParseAgents([]string{agent})
		for _, a := range agents {
			if !strings.HasPrefix(strings.ToLower(a.URI), "https://") {
				t.Error(a)
			}
		}
	})
}

func BenchmarkSign(b *testing.B) {
	for _, reuse := range []bool{false, true} {
		b.Run(fmt.Sprintf("reuse=%v", reuse), func(b *testing.B) {
			s, _ := newTestSigner(b, &SignerOptions{Reuse: reuse})
			req := httptest.NewRequest(http.MethodGet, "https://a.example/", http.NoBody)
			for b.Loop() {
				_ = s.Sign(req)
			}
		})
	}
}

// The signature covers the Host field that net/http sends.
func TestSignCoversTheAuthorityThatIsSent(t *testing.T) {
	s, dir := newTestSigner(t, nil)
	for _, target := range []string{
		"http://127.0.0.1:8080/", "http://a.example:80/", "http://A.example./", "http://b\u00fccher.example/", "http://[::1]:8080/", "http://[fe80::1%25lo]/",
	} {
		var sent *http.Request
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				sent, _ = http.ReadRequest(bufio.NewReader(server))
				_, _ = io.WriteString(server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			}()
			return client, nil
		}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Send(transport, req, nil)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		_ = resp.Body.Close()
		if _, err := Verify(sent, dir, nil); err != nil {
			t.Errorf("%s, sent to %s: %v", target, sent.Host, err)
		}
	}
}
