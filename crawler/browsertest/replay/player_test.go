package replay

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// player is the folder of replayweb.page.
var player = filepath.Join("..", "testdata", "replaywebpage", "node_modules", "replaywebpage")

// need skips the test if a file that a target installs is missing; see [browsertest.Missing].
func need(t *testing.T, name, target string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		browsertest.Missing(t, fmt.Sprintf("%v; run %s", err, target))
	}
}

// host is the page that embeds the player, without its controls. The URL of the page to replay is in its query. It starts
// the player's service worker first: the player waits for it, without end if it becomes active at a wrong moment.
const host = `<!doctype html><title>Player</title>
<style>html, body, replay-web-page { margin: 0; height: 100%; display: block; overflow: hidden }</style>
<script src="/replay/ui.js"></script>
<body><script>
(async () => {
	const worker = await navigator.serviceWorker.register("/replay/sw.js?serveIndex=1", { scope: "/replay/" });
	while (!worker.active || worker.active.state !== "activated") await new Promise(done => setTimeout(done, 20));
	const element = document.createElement("replay-web-page");
	for (const [name, value] of Object.entries({ source: "/archive.wacz", replayBase: "/replay/", embed: "replayonly", loading: "eager", url: new URLSearchParams(location.search).get("page") })) {
		element.setAttribute(name, value);
	}
	document.body.append(element);
})();
</script>`

// startPlayer serves the player and an archive. It returns the URL of the page that shows the page of the archive at
// the URL that follows.
func startPlayer(t *testing.T, wacz string) string {
	t.Helper()
	need(t, filepath.Join(player, "sw.js"), "make replay")
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, host)
	})
	mux.HandleFunc("/archive.wacz", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, wacz) })
	for _, name := range []string{"ui.js", "sw.js"} {
		mux.HandleFunc("/replay/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(player, name)) })
	}
	return serve(t, "127.0.0.1", mux) + "/?page="
}

// replayed finds the frame that shows a page of the archive: the first one whose path is that of a replay.
const replayed = `(function find(root) {
	for (const e of root.querySelectorAll("*")) {
		const inner = e.localName === "iframe" ? e.contentDocument : e.shadowRoot;
		if (!inner) continue;
		if (e.localName === "iframe" && /\/w\/[^\/]+\/\d*mp_\//.test(inner.location.pathname)) return inner;
		const found = find(inner);
		if (found) return found;
	}
	return null;
})(document)`

// A state is what a page shows, with its frames.
type state struct {
	Ready    bool // it has loaded, and its fonts and images too
	URL      string
	Text     []string // of each frame
	Images   []string
	Fonts    []string
	Elements []string // with their computed styles
}

// look returns the state of the page that an expression of JavaScript names.
func look(b *browsertest.Tab, document string) state {
	return browsertest.Eval[state](b, `(async (top) => {
		const plain = text => text.replaceAll(/https?:\/\/[^\/\s"]+\/replay\/w\/[^\/\s"]+\/\d*[a-z]*_?\/(?=[a-z]+:)/g, "");
		const state = { ready: top !== null, url: top ? plain(top.location.href) : "", text: [], images: [], fonts: [], elements: [] };
		const read = doc => {
			if (doc.readyState !== "complete") state.ready = false;
			if (!doc.body) return; // an SVG image
			state.text.push(doc.body.innerText);
			for (const font of doc.fonts) state.fonts.push(font.family + " " + font.status);
			for (const image of doc.images) {
				if (!image.complete) state.ready = false;
				state.images.push(plain(image.naturalWidth ? image.currentSrc : image.src) + " " + image.naturalWidth + " x " + image.naturalHeight);
			}
			for (const e of [doc.body, ...doc.body.querySelectorAll("*")]) {
				if (e.localName === "script") continue;
				const styles = [], box = e.getBoundingClientRect();
				for (const pseudo of [null, "::before", "::after"]) {
					const style = doc.defaultView.getComputedStyle(e, pseudo);
					if (pseudo && style.content === "none") continue;
					styles.push((pseudo ?? "") + ["display", "color", "background-color", "background-image", "font-family", "font-size", "font-weight", "letter-spacing", "border-top", "opacity", "visibility", "content"].map(name => plain(style.getPropertyValue(name))).join("; "));
				}
				state.elements.push(e.localName + " " + Math.round(box.width) + " x " + Math.round(box.height) + " " + styles.join(" "));
				if (!["iframe", "frame", "object"].includes(e.localName)) continue;
				let inner = null;
				try { inner = e.contentDocument; } catch {}
				if (inner) read(inner);
			}
		};
		if (top) read(top);
		if (top) await Promise.race([top.fonts.ready, new Promise(done => setTimeout(done, 1000))]);
		return state;
	})(`+document+`)`)
}

// settle looks at a page until done holds of its state. After three minutes, in which a busy machine loads
// the index of an archive, it returns the last state.
func settle(b *browsertest.Tab, document string, done func(state) bool) state {
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		s := look(b, document)
		if s.Ready && done(s) || time.Now().After(end) {
			return s
		}
	}
}

var replayURL = regexp.MustCompile(`^http://[^/]+/replay/w/[^/]+/\d*([a-z]+_)?/([a-z]+:.*)$`)

// requisites returns the statuses of the URLs that the page and its frames have requested.
func requisites(b *browsertest.Tab) map[string]int {
	statuses := make(map[string]int)
	for name, status := range b.Responses() {
		if match := replayURL.FindStringSubmatch(name); match != nil {
			name = match[2]
		}
		if u, err := url.Parse(name); err == nil && strings.HasPrefix(u.Scheme, "http") && u.Path != "/favicon.ico" { // browsers request it on their own
			u.Fragment = ""
			statuses[u.String()] = status
		}
	}
	return statuses
}

// fetch returns the status of a URL in the archive that the player shows.
func fetch(b *browsertest.Tab, url string) int {
	return browsertest.Eval[int](b, fmt.Sprintf(`(frame => frame.defaultView.parent.fetch(frame.location.href.replace(/(mp_\/).*/, "$1") + %q).then(r => r.status))(`+replayed+`)`, url))
}
