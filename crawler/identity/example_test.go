package identity_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// How does a program make an identity, sign a request, and change the key?
func Example() {
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(temp) }()
	dir := filepath.Join(temp, "identity")
	made, err := identity.Create(dir, identity.Settings{Agent: "https://bot.example.com", Name: "examplebot"}, identity.FileSource, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("upload", filepath.Base(made.PublicDir()))

	opened, err := identity.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	signer, err := opened.Signer()
	if err != nil {
		fmt.Println(err)
		return
	}
	req, err := http.NewRequest(http.MethodGet, "https://example.com/", http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(signer.Sign(req), req.Header.Get("Signature-Agent"))

	_, err = opened.Rotate("")
	fmt.Println(len(opened.Keys()), "keys", err)
	fmt.Println(time.Until(opened.Keys()[1].Expires) <= time.Hour+botauth.MaxLifetime)
	// Output:
	// upload public
	// <nil> sig1="https://bot.example.com"
	// 2 keys <nil>
	// true
}

// Where are the keys that a Signature-Agent names?
func ExampleDirectoryURL() {
	fmt.Println(identity.DirectoryURL("https://bot.example.com"))
	// Output: https://bot.example.com/.well-known/http-message-signatures-directory
}
