/** The marks of formulas within a line: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, as an extension of micromark and of mdast. */
import type { Literal } from 'mdast'
import type { Extension as TreeExtension } from 'mdast-util-from-markdown'
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types'

export interface FormulaNode extends Literal {
  type: 'formula'
  /** TeX, without its marks. */
  value: string
  isDisplay: boolean
}

declare module 'mdast' {
  interface RootContentMap {
    formula: FormulaNode
  }
  interface PhrasingContentMap {
    formula: FormulaNode
  }
}
declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula'
    formulaData: 'formulaData'
  }
}

const dollar = 36
const backslash = 92
const maxLength = 2_000
const digit = /^[\d۰-۹٠-٩]/

/**
 * Whether what stands between two single dollar signs is a formula: prices (`$5 and $10`), variables of a shell (`$HOME:$PATH`) and Persian sentences
 * are none. `next` is what follows the closing sign.
 */
export function isFormula(content: string, next: string): boolean {
  if (content === '' || content !== content.trim() || digit.test(next)) return false
  if (/[-+*/=,:،؛–—(]$/.test(content)) return false
  const outsideTexts = content.replace(/\\(?:text|textbf|textrm|mathrm|operatorname)\{[^{}]*\}/g, '')
  if (/[\p{Script=Arabic}]/u.test(outsideTexts.replace(/[\p{N}،؛]/gu, ''))) return false
  // What begins with an amount needs a sign of mathematics, unless it is a single word.
  return !digit.test(content) || !/\s/.test(content) || /[\\^_={}+*/<>×÷±]|\s-\s/.test(content)
}

const isLineEnding = (code: Code): boolean => code !== null && code < -2

class FormulaReader {
  readonly #effects: Effects
  readonly #ok: State
  readonly #nok: State
  #open = ''
  #content = ''

  constructor(effects: Effects, ok: State, nok: State) {
    this.#effects = effects
    this.#ok = ok
    this.#nok = nok
  }

  readonly start = (code: Code): State | undefined => {
    this.#effects.enter('formula')
    this.#effects.enter('formulaData')
    this.#effects.consume(code)
    return code === dollar ? this.#afterDollar : this.#afterBackslash
  }

  readonly #afterDollar = (code: Code): State | undefined => {
    this.#open = code === dollar ? '$$' : '$'
    if (code !== dollar) return this.#inside(code)
    this.#effects.consume(code)
    return this.#inside
  }

  readonly #afterBackslash = (code: Code): State | undefined => {
    if (code !== 40 && code !== 91) return this.#nok(code)
    this.#open = code === 40 ? '\\(' : '\\['
    this.#effects.consume(code)
    return this.#inside
  }

  readonly #inside = (code: Code): State | undefined => {
    if (code === null || this.#content.length > maxLength) return this.#nok(code)
    if (isLineEnding(code)) {
      if (this.#open === '$') return this.#nok(code)
      this.#effects.exit('formulaData')
      this.#effects.enter('lineEnding')
      this.#effects.consume(code)
      this.#effects.exit('lineEnding')
      this.#content += '\n'
      return this.#lineStart
    }
    this.#effects.consume(code)
    if (code === backslash) return this.#afterEscape
    if (code !== dollar || this.#open.startsWith('\\')) return this.#add(code)
    return this.#open === '$' ? this.#closedByDollar : this.#secondDollar
  }

  readonly #lineStart = (code: Code): State | undefined => {
    if (code === null || isLineEnding(code)) return this.#nok(code)
    this.#effects.enter('formulaData')
    return this.#inside(code)
  }

  #add(code: Code): State {
    this.#content += code! < 0 ? ' ' : String.fromCodePoint(code!)
    return this.#inside
  }

  /** The sign after a backslash: it may close what a backslash has opened, and what it stands before has no meaning of its own. */
  readonly #afterEscape = (code: Code): State | undefined => {
    if (code === null || isLineEnding(code)) {
      this.#content += '\\'
      return this.#inside(code)
    }
    // The same mark once more: the first one opens nothing, so that a text is read once.
    if (this.#open === `\\${String.fromCodePoint(Math.max(code, 0))}`) return this.#nok(code)
    const closing = this.#open === '\\(' ? 41 : this.#open === '\\[' ? 93 : -1
    this.#effects.consume(code)
    if (code === closing) return this.#closed
    this.#content += '\\'
    return this.#add(code)
  }

  readonly #closedByDollar = (code: Code): State | undefined =>
    isFormula(this.#content, code === null || code < 0 ? '' : String.fromCodePoint(code))
      ? this.#closed(code)
      : this.#nok(code)

  readonly #secondDollar = (code: Code): State | undefined => {
    if (code !== dollar) return this.#nok(code)
    this.#effects.consume(code)
    return this.#closed
  }

  readonly #closed = (code: Code): State | undefined => {
    if (this.#content.trim() === '') return this.#nok(code)
    this.#effects.exit('formulaData')
    this.#effects.exit('formula')
    return this.#ok(code)
  }
}

const construct: Construct = {
  name: 'formula',
  tokenize(this: TokenizeContext, effects, ok, nok) {
    return new FormulaReader(effects, ok, nok).start
  },
  /** After a letter, a digit or another dollar sign, a dollar sign opens nothing. */
  previous(code) {
    return code === null || code < 0 || !/[\p{L}\p{N}$]/u.test(String.fromCodePoint(code))
  },
}

const escaped: Construct = { ...construct, previous: () => true }

export const formulaSyntax: Extension = { text: { [dollar]: construct, [backslash]: escaped } }

export const formulaTree: TreeExtension = {
  enter: {
    formula(token) {
      this.enter({ type: 'formula', value: '', isDisplay: false }, token)
    },
  },
  exit: {
    formula(token) {
      const raw = this.sliceSerialize(token)
      const width = /^(?:\$\$|\\)/.test(raw) ? 2 : 1
      const node = this.stack.at(-1) as unknown as FormulaNode
      node.value = raw.slice(width, -width).trim()
      node.isDisplay = raw.startsWith('$$') || raw.startsWith('\\[')
      this.exit(token)
    },
  },
}
