package botauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

func ExampleVerify() {
	key, _ := botauth.GenerateKey()
	signer, _ := botauth.NewSigner(key, "https://bot.example.com", nil)
	req := httptest.NewRequest(http.MethodGet, "https://site.example/page", http.NoBody)
	_ = signer.Sign(req)

	dir := &botauth.Directory{URL: "https://bot.example.com", Keys: []botauth.JWK{key.Public()}}
	id, err := botauth.Verify(req, dir, nil)
	fmt.Println(id.Agent, err)
	// Output: https://bot.example.com <nil>
}

func ExampleVerifyDirectory() {
	key, _ := botauth.GenerateKey()
	now := time.Now()
	body, header, _ := botauth.SignDirectory("bot.example.com", now, now.Add(24*time.Hour), key)

	dir, err := botauth.VerifyDirectory("bot.example.com", header, body, now)
	fmt.Println(len(dir.Keys), err)
	// Output: 1 <nil>
}

func ExampleParseRegistry() {
	cards, err := botauth.ParseRegistry("# crawlers\nhttps://bot.example.com/card\n")
	fmt.Println(cards, err)
	// Output: [https://bot.example.com/card] <nil>
}
