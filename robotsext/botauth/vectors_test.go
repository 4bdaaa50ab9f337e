package botauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readVectors reads test vectors, which lie beside the repository.
func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "vectors", "web-bot-auth", name))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the test vectors are missing: ../shared/vectors/web-bot-auth")
		}
		t.Skip("the test vectors are not here: ../shared/vectors/web-bot-auth")
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
}

type vector struct {
	Key       json.RawMessage
	TargetURL string `json:"target_url"`
	CreatedMS int64  `json:"created_ms"`
	ExpiresMS int64  `json:"expires_ms"`
	Nonce     string
	Label     string
	Signature string
	Input     string `json:"signature_input"`
	Agent     string `json:"signature_agent"`
	AgentKey  string `json:"signature_agent_key"`
}

func (v vector) request() *http.Request {
	req := httptest.NewRequest(http.MethodGet, v.TargetURL, http.NoBody)
	req.Header.Set("Signature", v.Signature)
	req.Header.Set("Signature-Input", v.Input)
	if v.Agent != "" {
		req.Header.Set("Signature-Agent", v.Agent)
	}
	return req
}

func (v vector) jwk(t *testing.T) JWK {
	t.Helper()
	var k JWK
	if err := json.Unmarshal(v.Key, &k); err != nil {
		t.Fatal(err)
	}
	k.Kid = ""
	return k
}

func at(seconds int64) func() time.Time {
	return func() time.Time { return time.Unix(seconds, 0) }
}

func TestArchitectureVectorsVerify(t *testing.T) {
	for _, version := range []string{"v1", "v2"} {
		var vectors []vector
		readVectors(t, "web_bot_auth_architecture_"+version+".json", &vectors)
		for _, v := range vectors {
			dir := &Directory{Keys: []JWK{v.jwk(t)}}
			now := at(v.CreatedMS/1000 + 1)
			id, err := Verify(v.request(), dir, &VerifyOptions{Now: now, Legacy: version == "v1"})
			if err != nil {
				t.Errorf("%s %s: %v", version, v.Input, err)
				continue
			}
			if id.Nonce != v.Nonce || id.KeyID != dir.Keys[0].Thumbprint() || (v.Agent != "") != (id.Agent == "https://signature-agent.test") {
				t.Errorf("%s %s: %+v", version, v.Label, id)
			}
			_, err = Verify(v.request(), dir, &VerifyOptions{Now: now})
			if legacy := strings.HasPrefix(v.Agent, `"`); legacy != errors.Is(err, LegacyAgent) {
				t.Errorf("%s %s without Legacy: %v", version, v.Label, err)
			}
		}
	}
}

func TestSignWritesTheVectorByteForByte(t *testing.T) {
	var vectors []vector
	readVectors(t, "web_bot_auth_architecture_v2.json", &vectors)
	signed := 0
	for _, v := range vectors {
		key, err := ParseKey(v.Key)
		if err != nil || v.Agent == "" { // RSA, or a signature that names no agent
			continue
		}
		s, err := NewSigner(key, "https://signature-agent.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		created := time.UnixMilli(v.CreatedMS)
		s.opts.Now, s.opts.Lifetime = func() time.Time { return created }, time.UnixMilli(v.ExpiresMS).Sub(created)
		form := newForm(v.Label, v.AgentKey)
		form.nonce = v.Nonce
		got, err := s.fields(v.request(), form)
		if err != nil {
			t.Fatal(err)
		}
		if want := (fields{v.Agent, v.Input, v.Signature}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		signed++
	}
	if signed == 0 {
		t.Error("no vector was signed")
	}
}

func TestVerifyRefusesAlteredRequests(t *testing.T) {
	var vectors []vector
	readVectors(t, "web_bot_auth_architecture_v2.json", &vectors)
	i := slices.IndexFunc(vectors, func(v vector) bool { return v.Agent != "" && strings.Contains(v.Input, "ed25519") })
	v := vectors[i]
	created, expires := v.CreatedMS/1000, v.ExpiresMS/1000
	replace := func(field, old, with string) func(*http.Request) {
		return func(r *http.Request) {
			before := r.Header.Get(field)
			if !strings.Contains(before, old) {
				panic("nothing to replace in " + before)
			}
			r.Header.Set(field, strings.Replace(before, old, with, 1))
		}
	}
	for _, test := range []struct {
		name  string
		now   int64
		alter func(*http.Request)
		want  Reason
	}{
		{"authority", created, func(r *http.Request) { r.Host = "other.example" }, WrongSignature},
		{"agent", created, replace("Signature-Agent", "signature-agent.test", "other.test"), WrongSignature},
		{"agent label", created, replace("Signature-Agent", "agent2", "agent3"), WrongComponent},
		{"agent removed", created, func(r *http.Request) { r.Header.Del("Signature-Agent") }, WrongComponent},
		{"agent with http", created, replace("Signature-Agent", "https", "http"), Malformed},
		{"expired", expires, nil, Expired},
		{"future", created - 60, nil, NotYetValid},
		{"tag", created, replace("Signature-Input", "web-bot-auth", "other"), WrongTag},
		{"keyid", created, replace("Signature-Input", "poqk", "aaaa"), UnknownKey},
		{"alg", created, replace("Signature-Input", `"ed25519"`, `"rsa-pss-sha512"`), WrongAlgorithm},
		{"nonce", created, replace("Signature-Input", "n9p4", "aaaa"), WrongSignature},
		{"component dropped", created, replace("Signature-Input", `"@authority" `, ""), WrongSignature},
		{"unknown component", created, replace("Signature-Input", `"@authority"`, `"@status"`), WrongComponent},
		{"no expiry", created, replace("Signature-Input", "expires=", "x="), WrongParameter},
		{"signature", created, replace("Signature", "RdNF", "aaaa"), WrongSignature},
		{"signature of another label", created, replace("Signature", "sig2", "sig9"), Malformed},
		{"duplicate Signature-Input", created, func(r *http.Request) { r.Header.Add("Signature-Input", v.Input) }, DuplicateLabel},
		{"duplicate Signature", created, func(r *http.Request) { r.Header.Add("Signature", v.Signature) }, DuplicateLabel},
		{"duplicate Signature-Agent", created, func(r *http.Request) { r.Header.Add("Signature-Agent", v.Agent) }, DuplicateLabel},
		{"legacy agent", created, replace("Signature-Agent", "agent2=", ""), LegacyAgent},
		{"unsigned", created, func(r *http.Request) { r.Header.Del("Signature") }, Unsigned},
		{"not a dictionary", created, func(r *http.Request) { r.Header.Set("Signature", "(") }, Malformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := &Directory{URL: "https://signature-agent.test", Keys: []JWK{v.jwk(t)}}
			req := v.request()
			if test.alter != nil {
				test.alter(req)
			}
			_, err := Verify(req, dir, &VerifyOptions{Now: at(test.now)})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	_, err := Verify(v.request(), &Directory{URL: "https://other.test", Keys: []JWK{v.jwk(t)}}, &VerifyOptions{Now: at(created)})
	if !errors.Is(err, WrongAgent) {
		t.Errorf("directory of another agent: %v", err)
	}
}

func TestCardVectors(t *testing.T) {
	var vectors []struct {
		Name, URL, Error string
		Valid            bool
		Card             json.RawMessage
	}
	readVectors(t, "web_bot_auth_signature_agent_card_v1.json", &vectors)
	for _, v := range vectors {
		card, err := ParseCard(v.URL, v.Card)
		if !v.Valid {
			if err == nil || !strings.Contains(err.Error(), v.Error) {
				t.Errorf("%s: got %v, want %s", v.Name, err, v.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		written, _ := json.Marshal(card)
		var got, want any
		_ = json.Unmarshal(written, &got)
		_ = json.Unmarshal(v.Card, &want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", v.Name, diff)
		}
	}
}

func TestRegistryAndAgentVectors(t *testing.T) {
	var registries []struct {
		Name  string
		Text  string   `json:"registry_txt"`
		Cards []string `json:"signature_agent_cards"`
	}
	readVectors(t, "web_bot_auth_registry_v1.json", &registries)
	for _, v := range registries {
		got, err := ParseRegistry(v.Text)
		if diff := cmp.Diff(v.Cards, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", v.Name, err, diff)
		}
	}
	var agents []struct {
		Name, Header string
		Entries      []struct{ Label, URI, Type string }
	}
	readVectors(t, "web_bot_auth_signature_agent_v1.json", &agents)
	for _, v := range agents {
		got, err := ParseAgents([]string{v.Header})
		if err != nil || len(got) != len(v.Entries) {
			t.Fatalf("%s: %v %v", v.Name, got, err)
		}
		for i, e := range v.Entries {
			if got[i] != Agent(e) {
				t.Errorf("%s: got %v, want %v", v.Name, got[i], e)
			}
		}
	}
}
