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
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := botauth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "directory")
	body, err := json.Marshal(botauth.Directory{Keys: []botauth.JWK{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			if err := signer.Sign(req); err != nil {
				t.Fatal(err)
			}
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, req)
		if w.Code != test.want {
			t.Errorf("%s: %d, want %d: %s", test.name, w.Code, test.want, w.Body)
		}
	}
}
