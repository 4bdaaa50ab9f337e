package botauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// Who signed this request?
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

// Which keys of a directory has the crawler proved to own?
func ExampleVerifyDirectory() {
	key, _ := botauth.GenerateKey()
	now := time.Now()
	body, header, _ := botauth.SignDirectory("bot.example.com", now, now.Add(24*time.Hour), key)

	dir, err := botauth.VerifyDirectory("bot.example.com", header, body, now)
	fmt.Println(len(dir.Keys), err)
	// Output: 1 <nil>
}

// Which keys does a crawler publish?
func ExampleParseDirectory() {
	dir, err := botauth.ParseDirectory([]byte(`{"keys": [
		{"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dir.Keys[0].Thumbprint())
	// Output: poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U
}

// How do I read the private key of my crawler?
func ExampleParseKey() {
	key, err := botauth.ParseKey([]byte(`{"kty": "OKP", "crv": "Ed25519",
		"x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
		"d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"}`))
	fmt.Println(key.Public().Kid, key, err)
	// Output: poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U [private key] <nil>
}

// Who runs a crawler, and why?
func ExampleParseCard() {
	card, err := botauth.ParseCard("https://bot.example.com/card", []byte(`{
		"client_id": "https://bot.example.com/card", "client_name": "Example Bot",
		"web_bot_auth": {"purpose": "search"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(card.ClientName, card.WebBotAuth.Purpose)
	// Output: Example Bot search
}

// Which crawlers does a registry list?
func ExampleParseRegistry() {
	cards, err := botauth.ParseRegistry("# crawlers\nhttps://bot.example.com/card\n")
	fmt.Println(cards, err)
	// Output: [https://bot.example.com/card] <nil>
}

// Where does the crawler publish its keys?
func ExampleParseAgents() {
	agents, err := botauth.ParseAgents([]string{`sig1="https://bot.example.com"`})
	fmt.Println(agents[0].Label, agents[0].URI, err)
	// Output: sig1 https://bot.example.com <nil>
}
