package pictures

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
	"testing"
)

// fewColours returns a picture with its 256 most frequent colours, which makes its
// file a third as large. Pictures of text and bars have few that matter.
func fewColours(from image.Image) *image.Paletted {
	count := make(map[color.RGBA]int)
	each(from, func(_, _ int, c color.RGBA) { count[c]++ })
	frequent := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(word(a), word(b)))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range frequent[:min(len(frequent), cap(palette))] {
		palette = append(palette, c)
	}
	place := make(map[color.RGBA]uint8)
	for c := range count {
		place[c] = uint8(palette.Index(c))
	}
	to := image.NewPaletted(from.Bounds(), palette)
	each(from, func(x, y int, c color.RGBA) { to.SetColorIndex(x, y, place[c]) })
	return to
}

func each(from image.Image, f func(x, y int, c color.RGBA)) {
	r := from.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			f(x, y, color.RGBAModel.Convert(from.At(x, y)).(color.RGBA))
		}
	}
}

func word(c color.RGBA) uint32 {
	return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
}

// distance is how different two colours are: the sum of the squares over the three.
func distance(a, b color.Color) int {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	square := func(a, b uint8) int { return (int(a) - int(b)) * (int(a) - int(b)) }
	return square(x.R, y.R) + square(x.G, y.G) + square(x.B, y.B)
}

func TestFewColours(t *testing.T) {
	from := image.NewRGBA(image.Rect(0, 0, 100, 100))
	each(from, func(x, y int, _ color.RGBA) {
		if x < 50 {
			from.SetRGBA(x, y, color.RGBA{R: 200, A: 255})
			return
		}
		from.SetRGBA(x, y, color.RGBA{G: uint8(x), B: uint8(y), A: 255})
	})
	got := fewColours(from)
	if len(got.Palette) != 256 || got.At(10, 10) != (color.RGBA{R: 200, A: 255}) {
		t.Errorf("%d colours, %v", len(got.Palette), got.At(10, 10))
	}
	if d := distance(got.At(99, 99), from.At(99, 99)); d > 10_000 {
		t.Errorf("a rare colour became %v", got.At(99, 99))
	}
	if !alike(from, from) || alike(from, image.NewRGBA(from.Bounds())) || alike(from, image.NewRGBA(image.Rect(0, 0, 1, 1))) {
		t.Error("pictures are told apart wrongly")
	}
}
