import path from 'node:path'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { phrases, type Sentence } from './phrases.ts'
import { refuseConfig } from './refuse.ts'

/** What all nodes of one file share. */
interface ConfigSource {
  name: string
  folder: string
  document: Document
  lines: LineCounter
  variables: Readonly<Record<string, string | undefined>>
}

/**
 * Opens the YAML text of a file and returns its root node. Messages name the file; `variables` fill `${NAME}`. Throws `StartRefused` for text that is
 * not YAML. Returns undefined for an empty text.
 */
export function openYaml(
  file: string,
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): ConfigNode | undefined {
  const name = path.basename(file)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const error = document.errors[0]
  if (error) {
    const { line } = lines.linePos(error.pos[0])
    const where = `${name}:${line}`
    // In `{ … }` YAML reads the braces of a variable as its own. This is the most likely mistake, so there is a message for it.
    const slip = text.split('\n')[line - 1]?.includes(`\${`)
    refuseConfig(slip ? phrases.unquoted(where) : phrases.syntax(where, error.message))
  }
  if (document.contents === null) return undefined
  const folder = path.dirname(path.resolve(file))
  return new ConfigNode({ name, folder, document, lines, variables }, document.contents as Node, '', 1)
}

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

export interface Range {
  min: number
  max: number
  integer?: boolean
}

/** One value of the file with its line; its methods return a typed value or refuse with a message. */
export class ConfigNode {
  readonly path: string
  readonly #source: ConfigSource
  readonly #node: Node | null
  readonly #line: number

  constructor(source: ConfigSource, node: Node | null, path: string, line: number) {
    this.#source = source
    this.#node = isAlias(node) ? ((node.resolve(source.document) as Node | undefined) ?? null) : node
    this.path = path
    this.#line = line
  }

  /** The place in the file: `kherad.config.yaml:12: proxies[0].tls`, or with a member: `….tls.ca_file`. */
  sourcePosition(member?: string): string {
    const path = member === undefined ? this.path : this.path ? `${this.path}.${member}` : member
    return `${this.#source.name}:${this.#line}${path ? `: ${path}` : ''}`
  }

  refuseValue(expected: Sentence): never {
    refuseConfig(phrases.wrong(this.sourcePosition(), this.#found(), expected))
  }

  /** Refuses a value like `refuseValue`, but does not repeat it, because it is or may contain a secret. */
  refuseSecretValue(expected: Sentence): never {
    refuseConfig(
      isEmpty(this.#node)
        ? phrases.wrong(this.sourcePosition(), this.#found(), expected)
        : phrases.unusable(this.sourcePosition(), expected),
    )
  }

  get isText(): boolean {
    return isScalar(this.#node) && typeof this.#node.value === 'string'
  }

  /** The node at a path of member names and list positions; undefined if it does not exist. Never refuses. */
  find(...path: (string | number)[]): ConfigNode | undefined {
    const [step, ...rest] = path
    if (step === undefined) return this
    return this.#step(step)?.find(...rest)
  }

  #step(step: string | number): ConfigNode | undefined {
    if (typeof step === 'number') return isSeq(this.#node) ? this.list()[step] : undefined
    if (!isMap(this.#node)) return undefined
    const pair = this.#node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
    return pair && this.#at(pair.value as Node | null, step, pair.key as Node)
  }

  /** The members of a mapping. Refuses anything that is not a mapping, and every member whose name is not in `known`. */
  members(known: readonly string[]): Members {
    if (!isMap(this.#node))
      this.refuseValue({ en: 'a mapping of names to values', fa: 'نام‌ها را با مقدارشان (نام: مقدار)' })
    const members = new Map<string, ConfigNode>()
    for (const pair of this.#node.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
      const member = this.#at(pair.value as Node | null, name, pair.key as Node)
      if (!known.includes(name)) refuseConfig(phrases.unknown(member.sourcePosition(), known))
      members.set(name, member)
    }
    return new Members(this, members)
  }

  /** The texts of a mapping with arbitrary names, in order. */
  textMap(): Record<string, string> {
    if (!isMap(this.#node))
      this.refuseValue({ en: 'a mapping of names to texts', fa: 'نام‌ها را با متنشان (نام: متن)' })
    const entries = this.#node.items.map((pair): [string, string] => {
      const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
      return [name, this.#at(pair.value as Node | null, name, pair.key as Node).text()]
    })
    return Object.fromEntries(entries)
  }

  /** The value as JSON, of whatever shape it is, with `${NAME}` filled in in its texts. */
  json(): JsonValue {
    if (isMap(this.#node))
      return Object.fromEntries(
        this.#node.items.map((pair): [string, JsonValue] => {
          const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
          return [name, this.#at(pair.value as Node | null, name, pair.key as Node).json()]
        }),
      )
    if (isSeq(this.#node)) return this.list().map((item) => item.json())
    const value = isScalar(this.#node) ? this.#node.value : null
    if (typeof value === 'string') return this.#fill(value)
    return typeof value === 'number' || typeof value === 'boolean' ? value : null
  }

  list(): ConfigNode[] {
    if (!isSeq(this.#node)) this.refuseValue({ en: 'a list', fa: 'یک فهرست' })
    return this.#node.items.map((item, position) => {
      const node = item as Node
      return new ConfigNode(this.#source, node, `${this.path}[${position}]`, this.#lineOf(node) ?? this.#line)
    })
  }

  /** A text that is not empty, with `${NAME}` filled in. `expected` completes the refusal. */
  text(expected: Sentence = { en: 'a text', fa: 'یک متن' }, pattern?: RegExp): string {
    return this.#readText(pattern) ?? this.refuseValue(expected)
  }

  /** A key or password, read like `text`; no message repeats it. */
  secret(expected: Sentence = { en: 'a text, in quotes', fa: 'متنی در گیومه' }, pattern?: RegExp): string {
    return this.#readText(pattern) ?? this.refuseSecretValue(expected)
  }

  #readText(pattern?: RegExp): string | undefined {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    if (typeof value !== 'string') return undefined
    const text = this.#fill(value).trim()
    return text === '' || (pattern && !pattern.test(text)) ? undefined : text
  }

  /** The absolute path of a file that is named relative to the folder of the configuration file. */
  file(expected: Sentence): string {
    return path.resolve(this.#source.folder, this.text(expected))
  }

  number(range: Range): number {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    // A number may come from the environment too: `port: ${PORT}`.
    const number = typeof value === 'string' && value.includes('${') ? Number(this.#fill(value)) : value
    const valid =
      typeof number === 'number' && Number.isFinite(number) && (!range.integer || Number.isInteger(number))
    if (!valid || number < range.min || number > range.max) {
      const span = `${range.min} … ${range.max}`
      // YAML reads "1" in quotes as a text; without this hint the message would say that 1 is out of bounds.
      const isQuoted = typeof value === 'string' && Number.isFinite(Number(value)) && value.trim() !== ''
      this.refuseValue({
        en: `${range.integer ? 'a whole number' : 'a number'} within ${span}${isQuoted ? ', without quotes' : ''}`,
        fa: `${range.integer ? 'عددی درست' : 'عددی'} در بازه‌ی ${span}${isQuoted ? ' و بدون گیومه' : ''}`,
      })
    }
    return number
  }

  flag(): boolean {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    if (typeof value !== 'boolean') this.refuseValue({ en: 'true or false', fa: 'true یا false' })
    return value
  }

  oneOf<Value extends string>(values: readonly Value[]): Value {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    const match = values.find((candidate) => candidate === value)
    if (match === undefined)
      this.refuseValue({ en: `one of ${values.join(', ')}`, fa: `یکی از ${values.join('، ')}` })
    return match
  }

  /** The items of a list, each among `values` and none twice. */
  someOf<Value extends string>(values: readonly Value[]): Value[] {
    const chosen: Value[] = []
    for (const item of this.list()) {
      const value = item.oneOf(values)
      if (chosen.includes(value)) refuseConfig(phrases.duplicate(item.sourcePosition(), value))
      chosen.push(value)
    }
    return chosen
  }

  #at(value: Node | null, name: string, key: Node): ConfigNode {
    const path = this.path ? `${this.path}.${name}` : name
    return new ConfigNode(this.#source, value, path, this.#lineOf(key) ?? this.#line)
  }

  #lineOf(node: Node | null): number | undefined {
    return node?.range ? this.#source.lines.linePos(node.range[0]).line : undefined
  }

  #fill(text: string): string {
    return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = this.#source.variables[name]
      if (value === undefined || value === '') refuseConfig(phrases.variable(this.sourcePosition(), name))
      return value
    })
  }

  /** A short description of the value. It never shows a filled-in variable, which may be a secret. */
  #found(): Sentence {
    if (isMap(this.#node)) return { en: 'a mapping', fa: 'چند نام با مقدارشان' }
    if (isSeq(this.#node) && this.#node.items.length === 0) return { en: 'an empty list', fa: 'فهرستی خالی' }
    if (isSeq(this.#node)) return { en: 'a list', fa: 'یک فهرست' }
    if (!isScalar(this.#node) || isEmpty(this.#node)) return { en: 'empty', fa: 'خالی' }
    const value = String(this.#node.value)
    return phrases.typed(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  }
}

const isEmpty = (node: Node | null): boolean =>
  node === null || (isScalar(node) && (node.value === null || node.value === ''))

/** The members of one mapping, by name. */
export class Members {
  readonly place: ConfigNode
  readonly #members: ReadonlyMap<string, ConfigNode>

  constructor(place: ConfigNode, members: ReadonlyMap<string, ConfigNode>) {
    this.place = place
    this.#members = members
  }

  get(name: string): ConfigNode | undefined {
    return this.#members.get(name)
  }

  /** Returns the member, or refuses with a message that says what to write. */
  need(name: string, fix: Sentence): ConfigNode {
    return this.#members.get(name) ?? refuseConfig(phrases.missing(this.place.sourcePosition(name), fix))
  }
}
