package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

func TestVerified(t *testing.T) {
	const agent = "https://bot.example.com/"
	key, err := botauth.GenerateKey()
	must(t, err)
	stranger, err := botauth.GenerateKey()
	must(t, err)
	file := filepath.Join(t.TempDir(), "directory")
	body, err := json.Marshal(botauth.Directory{Keys: []botauth.JWK{key.Public()}})
	must(t, err)
	must(t, os.WriteFile(file, body, 0o600))
	site := verified(newSite(), func() (*botauth.Directory, error) { return readDirectory(agent, file) })
	for _, test := range []struct {
		name, path string
		key        *botauth.PrivateKey
		agent      string
		want       int
	}{
		{"signed", "/", &key, agent, 200},
		{"unsigned", "/", nil, "", 401},
		{"unsigned, for robots.txt", "/robots.txt", nil, "", 200},
		{"signed by another key", "/", &stranger, agent, 401},
		{"signed for another agent", "/", &key, "https://other.example.com/", 401},
	} {
		req := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
		if test.key != nil {
			signer, err := botauth.NewSigner(*test.key, test.agent, nil)
			must(t, err)
			must(t, signer.Sign(req))
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, req)
		if w.Code != test.want {
			t.Errorf("%s: %d, want %d: %s", test.name, w.Code, test.want, w.Body)
		}
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
