// How does a site let those crawlers pass that prove who they are? It verifies the signature of
// each request (Web Bot Auth) with the published keys of crawlers that it knows.
//
//	go run ./examples/verify-bot [AGENT DIRECTORY]
//
// It serves a site on 127.0.0.1:8080 for the crawler AGENT, such as https://bot.example.com/. The
// file DIRECTORY has the keys of the crawler. Without arguments it shows what happens to a signed
// and an unsigned request.
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

func main() {
	log.SetFlags(0)
	switch len(os.Args) {
	case 1:
		if err := show(); err != nil {
			log.Fatal(err)
		}
	case 3:
		agent, file := os.Args[1], os.Args[2]
		site := &http.Server{
			Addr: "127.0.0.1:8080", ReadHeaderTimeout: 10 * time.Second,
			Handler: verified(newSite(), func() (*botauth.Directory, error) { return readDirectory(agent, file) }),
		}
		log.Printf("serving http://%s/ for %q", site.Addr, agent) //nolint:gosec // quoted
		log.Fatal(site.ListenAndServe())
	default:
		log.Fatal("usage: verify-bot [AGENT DIRECTORY]")
	}
}

// verified passes on requests that a key of the directory has signed, and requests for robots.txt,
// which everybody may read. It calls directory for each request, because keys change.
func verified(site http.Handler, directory func() (*botauth.Directory, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			site.ServeHTTP(w, req)
			return
		}
		dir, err := directory()
		if err != nil {
			log.Print(err)
			http.Error(w, "the keys of crawlers cannot be read", http.StatusInternalServerError)
			return
		}
		id, err := botauth.Verify(req, dir, nil)
		if err != nil {
			log.Printf("refused %q: %q", req.URL, err) //nolint:gosec // quoted
			w.Header().Set("Accept-Signature", `sig1=("@authority" "signature-agent";key="sig1");tag="web-bot-auth"`)
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		log.Printf("passed %q, signed by %q", req.URL, id.Agent) //nolint:gosec // quoted
		site.ServeHTTP(w, req)
	})
}

// readDirectory reads the keys of a crawler. A site that reads them from the crawler's URL keeps
// them for hours, and checks the response with [botauth.VerifyDirectory].
func readDirectory(agent, file string) (*botauth.Directory, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	dir, err := botauth.ParseDirectory(body)
	if err != nil {
		return nil, err
	}
	dir.URL = agent
	return dir, nil
}

func newSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nAllow: /\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page for crawlers that sign") })
	return mux
}

// show sends a signed and an unsigned request to a site of its own.
func show() error {
	const agent = "https://bot.example.com/"
	key, err := botauth.GenerateKey()
	if err != nil {
		return err
	}
	signer, err := botauth.NewSigner(key, agent, nil)
	if err != nil {
		return err
	}
	dir := &botauth.Directory{URL: agent, Keys: []botauth.JWK{key.Public()}}
	site := httptest.NewServer(verified(newSite(), func() (*botauth.Directory, error) { return dir, nil }))
	defer site.Close()
	req, err := http.NewRequest(http.MethodGet, site.URL+"/", http.NoBody)
	if err != nil {
		return err
	}
	signed, err := signer.Send(http.DefaultTransport, req, nil)
	unsigned, err2 := http.DefaultTransport.RoundTrip(req)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	signed.Body.Close()
	unsigned.Body.Close()
	fmt.Println("signed:", signed.Status)
	fmt.Println("unsigned:", unsigned.Status)
	return nil
}
