/** The parse tree of a regular expression, as far as samples can be generated from it. */
export type PatternNode =
  | { type: 'characters'; choices: string[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'sequence'; nodes: PatternNode[] }
  | { type: 'repeat'; node: PatternNode; min: number; max: number }

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

/** The longest pattern and the deepest group from which samples are generated. */
const maxPatternLength = 2000
const deepestGroup = 50
const nothing: PatternNode = { type: 'sequence', nodes: [] }

/** Parses a pattern; `undefined` for constructs from which samples cannot be generated: lookaround, back references, Unicode properties. */
export function parsePattern(pattern: string): PatternNode | undefined {
  const source = [...pattern]
  return source.length > maxPatternLength ? undefined : new PatternParser(source).parse()
}

/** Recursive descent: each method reads one construct at the cursor and returns `undefined` for an unknown one. */
class PatternParser {
  readonly #source: readonly string[]
  #at = 0

  constructor(source: readonly string[]) {
    this.#source = source
  }

  parse(): PatternNode | undefined {
    const pattern = this.#choice(0)
    return this.#at === this.#source.length ? pattern : undefined
  }

  #peek(offset = 0): string {
    return this.#source[this.#at + offset] ?? ''
  }

  #next(): string {
    return this.#source[this.#at++] ?? ''
  }

  #ahead(count: number): string {
    return this.#source.slice(this.#at, this.#at + count).join('')
  }

  #choice(depth: number): PatternNode | undefined {
    const options: PatternNode[] = []
    for (;;) {
      const nodes: PatternNode[] = []
      while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
        const node = this.#repeated(depth)
        if (!node) return undefined
        nodes.push(node)
      }
      options.push({ type: 'sequence', nodes })
      if (this.#peek() !== '|') return { type: 'choice', options }
      this.#at += 1
    }
  }

  #repeated(depth: number): PatternNode | undefined {
    const node = this.#atom(depth)
    const [min, max] = this.#quantifier() ?? [1, 1]
    return node && (min === 1 && max === 1 ? node : { type: 'repeat', node, min, max })
  }

  #quantifier(): [min: number, max: number] | undefined {
    const sign = this.#peek()
    const counted = sign === '{' ? /^\{(\d{1,6})(,(\d{1,6})?)?\}/.exec(this.#ahead(16)) : null
    if (counted) this.#at += counted[0].length
    else if (sign !== '' && '*+?'.includes(sign)) this.#at += 1
    else return undefined
    if (this.#peek() === '?') this.#at += 1
    if (!counted) return sign === '?' ? [0, 1] : [sign === '+' ? 1 : 0, Number.POSITIVE_INFINITY]
    const min = Number(counted[1])
    if (counted[2] === undefined) return [min, min]
    return [min, counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3])]
  }

  #atom(depth: number): PatternNode | undefined {
    const sign = this.#next()
    if (sign === '^' || sign === '$') return nothing
    if (sign === '.') return { type: 'characters', choices: anyCharacter }
    if (sign === '[') return this.#characterClass()
    if (sign === '(') return depth < deepestGroup ? this.#group(depth) : undefined
    if (sign !== '\\') return { type: 'characters', choices: [sign] }
    if (/[bB]/.test(this.#peek())) {
      this.#at += 1
      return nothing
    }
    const choices = this.#escaped()
    return choices && { type: 'characters', choices }
  }

  #group(depth: number): PatternNode | undefined {
    const opening = /^\?(?::|<[A-Za-z_]\w*>)/.exec(this.#ahead(64))
    if (opening) this.#at += opening[0].length
    else if (this.#peek() === '?') return undefined
    const inner = this.#choice(depth + 1)
    return this.#next() === ')' ? inner : undefined
  }

  /** The construct after a backslash. */
  #escaped(): string[] | undefined {
    const letter = this.#next()
    const known = classes[letter]
    if (known !== undefined) return [...known]
    if (letter === 'u' || letter === 'x') return this.#codePoint(letter === 'x' ? 2 : 8)
    return /[\p{L}\p{N}]/u.test(letter) || letter === '' ? undefined : [letter]
  }

  #codePoint(digits: number): string[] | undefined {
    const code = /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{2,4}))/i.exec(this.#ahead(digits))
    if (!code) return undefined
    this.#at += code[0].length
    const point = Number.parseInt(code[1] ?? code[2] ?? '0', 16)
    return point <= 0x10ffff ? [String.fromCodePoint(point)] : undefined
  }

  #characterClass(): PatternNode | undefined {
    const negated = this.#peek() === '^'
    if (negated) this.#at += 1
    const members: string[] = []
    while (this.#at < this.#source.length && this.#peek() !== ']') {
      const from = this.#member()
      if (!from) return undefined
      if (this.#peek() !== '-' || this.#peek(1) === ']' || from.length > 1) {
        members.push(...from)
        continue
      }
      this.#at += 1
      const to = this.#member()
      if (to?.length !== 1) return undefined
      members.push(...range(from[0] ?? '', to[0] ?? ''))
    }
    this.#at += 1
    const choices = negated ? anyCharacter.filter((each) => !members.includes(each)) : members
    return choices.length > 0 ? { type: 'characters', choices } : undefined
  }

  #member(): string[] | undefined {
    const sign = this.#next()
    return sign === '\\' ? this.#escaped() : [sign]
  }
}

/** The characters of a range, of which at most 64 are enough for samples. */
function range(from: string, to: string): string[] {
  const start = from.codePointAt(0) ?? 0
  const end = Math.min(to.codePointAt(0) ?? 0, start + 63)
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) =>
    String.fromCodePoint(start + index),
  )
}
