package report

import (
	_ "github.com/chromedp/cdproto/emulation"
	_ "github.com/chromedp/chromedp"
)
