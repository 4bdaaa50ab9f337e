package botauth

import (
	"encoding/json"
	"net/url"
	"strings"
)

// Card is a signature agent card: it says who runs a crawler and why.
type Card struct {
	ClientID   string     `json:"client_id"`
	ClientName string     `json:"client_name,omitempty"`
	ClientURI  string     `json:"client_uri,omitempty"`
	Contacts   []string   `json:"contacts,omitempty"`
	JWKSURI    string     `json:"jwks_uri,omitempty"`
	JWKS       *Directory `json:"jwks,omitempty"`
	WebBotAuth *Crawler   `json:"web_bot_auth,omitempty"`
}

// Crawler is the part of a Card about requests.
type Crawler struct {
	UserAgent    string `json:"expected-user-agent,omitempty"`
	ProductToken string `json:"rfc9309-product-token,omitempty"`
	Trigger      string `json:"trigger,omitempty"`
	Purpose      string `json:"purpose,omitempty"`
	IPsURI       string `json:"ips_uri,omitempty"`
}

// ParseCard parses the card that was fetched from a URL. Write a card with json.Marshal.
func ParseCard(from string, body []byte) (*Card, error) {
	var c Card
	if len(body) > maxDirectory {
		return nil, fail(Malformed, "card has more than %d bytes", maxDirectory)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fail(Malformed, "card: %v", err)
	}
	switch {
	case c.JWKS != nil && c.JWKSURI != "":
		return nil, fail(Malformed, "card must not contain both jwks and jwks_uri")
	case c.ClientID != from:
		return nil, fail(Malformed, "client_id must match the card URL")
	}
	return &c, nil
}

// ParseRegistry returns the card URLs of a registry: one a line, # begins a comment.
func ParseRegistry(text string) ([]string, error) {
	var cards []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if u, err := url.Parse(line); err != nil || u.Scheme != "https" || u.Host == "" {
			return nil, fail(Malformed, "registry: %q is not an https URL", line)
		}
		cards = append(cards, line)
	}
	return cards, nil
}
