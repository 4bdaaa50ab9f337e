package monitor_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// TestDemoInBrowser does what a person does who watches a crawl; what the site saw is
// the judge of it.
func TestDemoInBrowser(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	d := browsertest.StartDemo(t, 0, 100*time.Millisecond)
	b.Open(d.Server.URL())
	const pages = `Number(document.getElementById("pages-count").textContent)`
	b.Wait("it runs", `document.getElementById("state").textContent === "running" && `+pages+` > 5`)
	first := browsertest.Eval[int](b, pages)
	b.Wait("the numbers move", fmt.Sprintf("%s > %d", pages, first+5))
	for _, table := range []string{"hosts", "pages", "rejections", "errors", "robots"} {
		b.Wait(table+" have rows", fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].filter(r => r.checkVisibility()).length > 0`, table))
	}
	b.Wait("the chart has bars", `[...document.querySelectorAll("#bars rect")].filter(r => r.getBoundingClientRect().height > 1 && getComputedStyle(r).fill !== "rgb(0, 0, 0)").length > 1`)
	b.Wait("a Crawl-delay is told", `/Crawl-delay/.test(document.querySelector("#robots tbody").textContent)`)
	b.Wait("a robots.txt that fails is told", `/cannot be reached/.test(document.querySelector("#errors tbody").textContent)`)

	b.Click("#pause")
	b.Wait("it pauses", `document.getElementById("state").textContent === "paused" && document.getElementById("pause").textContent === "Resume"`)
	requests := func() int { return d.Site.Judge(0, "politecrawl").Requests }
	seen, fetched := requests(), browsertest.Eval[int](b, pages)
	time.Sleep(time.Second) // long, for a delay of a tenth of that
	if now := requests(); now != seen {
		t.Errorf("paused, the site was asked %d times more", now-seen)
	}
	if status, text := get(t, d.Server.URL()+"healthz"); status != http.StatusOK {
		t.Errorf("paused, it is not well: %s", text)
	}

	b.Click("#pause")
	b.Wait("it continues", `document.getElementById("state").textContent === "running"`)
	b.Wait("pages are fetched again", fmt.Sprintf("%s > %d", pages, fetched+5))
	if now := requests(); now <= seen+5 {
		t.Errorf("continued, the site was asked %d times more", now-seen)
	}

	b.Click("#stop")
	b.Click(`#confirm button[value=""]`)
	b.Wait("it goes on", `document.getElementById("state").textContent === "running" && !document.getElementById("confirm").open`)
	b.Click("#stop")
	b.Click(`#confirm button[value="stop"]`)
	b.Wait("it stops", `document.getElementById("state").textContent === "stopped" && document.getElementById("pause").disabled`)
	b.Wait("nothing is left to press", `![...document.querySelectorAll(".buttons button")].some(b => b.checkVisibility())`)
	sum := <-d.Summary
	if sum.End != crawler.EndStopped || sum.Remaining == 0 {
		t.Errorf("it ended %q, with %d left", sum.End, sum.Remaining)
	}
	if got := browsertest.Eval[int](b, pages); got != sum.Pages {
		t.Errorf("the page says %d pages, it was %d", got, sum.Pages)
	}
	time.Sleep(100 * time.Millisecond)
	b.CheckNoProblems(d.Server.URL())
}
