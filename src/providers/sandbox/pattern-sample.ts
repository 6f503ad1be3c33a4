import { testPattern } from './pattern-match.ts'

/** A regular expression as far as samples can be made of it. */
type Node =
  | { type: 'characters'; choices: string[] }
  | { type: 'choice'; options: Node[] }
  | { type: 'sequence'; nodes: Node[] }
  | { type: 'repeat'; node: Node; least: number; most: number }

const letters = 'abcdefghijklmnopqrstuvwxyz'
const classes: Record<string, string> = {
  d: '1234567890',
  w: `${letters}${letters.toUpperCase()}0123456789_`,
  s: ' ',
  D: letters,
  W: '-.!',
  S: letters,
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
}
const anyCharacter = [...letters, ...letters.toUpperCase(), ...'0123456789', ...'-_ .!#@']

/** Longest sample made from a pattern, in characters. */
const longest = 4096

/**
 * A text that the pattern matches, at least `least` and at most `most` characters long, `undefined` when none is found.
 * Lookaround, back references and Unicode properties are not built, only tried. `variant` changes the choice of characters.
 */
export function samplePattern(
  pattern: string,
  least: number,
  most: number,
  variant: number,
): string | undefined {
  const fits = (text: string) => {
    const length = [...text].length
    return length >= least && length <= most && testPattern(pattern, text)
  }
  const node = parse(pattern)
  const anchoredStart = pattern.startsWith('^')
  const anchoredEnd = /(?:^|[^\\])\$$/.test(pattern)
  if (node) {
    for (let extra = 0; extra <= Math.min(least + 1, longest); extra++) {
      const built = build(node, extra, variant)
      if (built === undefined || [...built].length > most) break
      if (fits(built)) return built
      const missing = 'a'.repeat(Math.max(0, Math.min(longest, least - [...built].length)))
      if (missing !== '' && !anchoredEnd && fits(built + missing)) return built + missing
      if (missing !== '' && !anchoredStart && fits(missing + built)) return missing + built
    }
  }
  const guesses = ['', 'a', 'A1', 'Aa1!aaaa', '1', 'abc', 'sample', 'نمونه', '2026-01-01', 'a@example.com']
  return guesses.find(fits)
}

/** Builds the shortest text, each open repetition `extra` longer. */
function build(node: Node, extra: number, variant: number): string | undefined {
  if (node.type === 'characters') return node.choices[variant % node.choices.length]
  if (node.type === 'choice') {
    const option = node.options[variant % node.options.length]
    return option && build(option, extra, Math.floor(variant / node.options.length))
  }
  let text = ''
  const times = node.type === 'repeat' ? Math.min(node.most, node.least + extra) : node.nodes.length
  for (let index = 0; index < times; index++) {
    const inner = node.type === 'repeat' ? node.node : node.nodes[index]
    // Later places keep their first choice, so that variants differ early and stay short.
    const part = inner && build(inner, extra, index === 0 || node.type === 'sequence' ? variant : 0)
    if (part === undefined || text.length + part.length > longest) return undefined
    text += part
  }
  return text
}

/** Parses a pattern; `undefined` for what samples cannot be built of. */
function parse(pattern: string): Node | undefined {
  const source = [...pattern]
  if (source.length > 2000) return undefined
  let at = 0

  const choice = (depth: number): Node | undefined => {
    const options: Node[] = []
    for (;;) {
      const nodes: Node[] = []
      while (at < source.length && source[at] !== '|' && source[at] !== ')') {
        const node = repeated(depth)
        if (!node) return undefined
        nodes.push(node)
      }
      options.push({ type: 'sequence', nodes })
      if (source[at] !== '|') return { type: 'choice', options }
      at += 1
    }
  }

  const repeated = (depth: number): Node | undefined => {
    const node = atom(depth)
    const [least, most] = quantifier() ?? [1, 1]
    return node && (least === 1 && most === 1 ? node : { type: 'repeat', node, least, most })
  }

  const quantifier = (): [number, number] | undefined => {
    const sign = source[at]
    const counted =
      sign === '{' ? /^\{(\d{1,6})(,(\d{1,6})?)?\}/.exec(source.slice(at, at + 16).join('')) : null
    if (counted) at += counted[0].length
    else if (sign === '*' || sign === '+' || sign === '?') at += 1
    else return undefined
    if (source[at] === '?') at += 1
    if (!counted) return sign === '?' ? [0, 1] : [sign === '+' ? 1 : 0, Number.POSITIVE_INFINITY]
    const least = Number(counted[1])
    return [
      least,
      counted[2] === undefined ? least : counted[3] === undefined ? Infinity : Number(counted[3]),
    ]
  }

  const atom = (depth: number): Node | undefined => {
    const sign = source[at++] ?? ''
    if (sign === '^' || sign === '$') return { type: 'sequence', nodes: [] }
    if (sign === '.') return { type: 'characters', choices: anyCharacter }
    if (sign === '[') return characterClass()
    if (sign === '(') return depth < 50 ? group(depth) : undefined
    if (sign !== '\\') return { type: 'characters', choices: [sign] }
    if (/[bB]/.test(source[at] ?? '')) {
      at += 1
      return { type: 'sequence', nodes: [] }
    }
    const choices = escaped()
    return choices && { type: 'characters', choices }
  }

  const group = (depth: number): Node | undefined => {
    const opening = /^\?(?::|<[A-Za-z_]\w*>)/.exec(source.slice(at, at + 64).join(''))
    if (opening) at += opening[0].length
    else if (source[at] === '?') return undefined
    const inner = choice(depth + 1)
    return source[at++] === ')' ? inner : undefined
  }

  const escaped = (): string[] | undefined => {
    const letter = source[at++] ?? ''
    const known = classes[letter]
    if (known !== undefined) return [...known]
    if (letter === 'u' || letter === 'x') {
      const code = /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{2,4}))/i.exec(
        source.slice(at, at + (letter === 'x' ? 2 : 8)).join(''),
      )
      if (!code) return undefined
      at += code[0].length
      const point = Number.parseInt(code[1] ?? code[2] ?? '0', 16)
      return point <= 0x10ffff ? [String.fromCodePoint(point)] : undefined
    }
    return /[\p{L}\p{N}]/u.test(letter) || letter === '' ? undefined : [letter]
  }

  const member = (): string[] | undefined => {
    const sign = source[at++] ?? ''
    return sign === '\\' ? escaped() : [sign]
  }

  const characterClass = (): Node | undefined => {
    const negated = source[at] === '^'
    if (negated) at += 1
    const members: string[] = []
    while (at < source.length && source[at] !== ']') {
      const from = member()
      if (!from) return undefined
      if (source[at] !== '-' || source[at + 1] === ']' || from.length > 1) {
        members.push(...from)
        continue
      }
      at += 1
      const to = member()
      if (to?.length !== 1) return undefined
      members.push(...range(from[0] ?? '', to[0] ?? ''))
    }
    at += 1
    const choices = negated ? anyCharacter.filter((each) => !members.includes(each)) : members
    return choices.length > 0 ? { type: 'characters', choices } : undefined
  }

  const whole = choice(0)
  return at === source.length ? whole : undefined
}

/** At most 64 characters of a range are enough for samples. */
function range(from: string, to: string): string[] {
  const start = from.codePointAt(0) ?? 0
  const end = Math.min(to.codePointAt(0) ?? 0, start + 63)
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) =>
    String.fromCodePoint(start + index),
  )
}
