import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8')
const tokens = new Map(
  [...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name!, { light: light!, dark: dark! }],
  ),
)

/** The relative luminance of a colour (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

const grounds = ['paper', 'card', 'sunk', 'float']
const pairs = [
  ...['ink', 'soft', 'faint', 'teal', 'teal-deep', 'red'].flatMap((text) =>
    grounds.map((ground) => [text, ground]),
  ),
  ['ink', 'teal-wash'],
  ['soft', 'teal-wash'],
  ['teal-deep', 'teal-wash'],
  ['on-teal', 'teal'],
  ['on-teal', 'teal-deep'],
  ['on-red', 'red'],
  ['on-red', 'red-deep'],
  ['saffron-ink', 'saffron-wash'],
  ['red', 'red-wash'],
  ['green-ink', 'green-wash'],
] as [string, string][]

test.each(pairs)('%s is read on %s in both colours: contrast 4.5', (text, ground) => {
  for (const scheme of ['light', 'dark'] as const)
    expect(contrastOf(tokens.get(text)![scheme], tokens.get(ground)![scheme]), scheme).toBeGreaterThanOrEqual(
      4.5,
    )
})
