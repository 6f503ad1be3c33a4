import { numerals } from './phrases.ts'

/** An arithmetic question found in a text: the expression as written and its value (`undefined`: division by zero). */
export interface Arithmetic {
  expression: string
  value: number | undefined
}

const spoken: readonly [RegExp, string][] = [
  [/(?<=\d)\s*(?:plus|به\s*علاوه‌?(?:ی|ٔ)?|به‌علاوه‌?(?:ی|ٔ)?|بعلاوه)\s*(?=[\d(-])/giu, ' + '],
  [/(?<=\d)\s*(?:minus|منهای)\s*(?=[\d(-])/giu, ' - '],
  [/(?<=\d)\s*(?:times|multiplied by|ضربدر|ضرب\s*در|در)\s*(?=[\d(-])/giu, ' * '],
  [/(?<=\d)\s*(?:divided by|تقسیم\s*بر|بخش\s*بر)\s*(?=[\d(-])/giu, ' / '],
]

const found = /-?\(*-?\d+(?:\.\d+)?(?:\s*[-+*/×÷−^]\s*\(*-?\d+(?:\.\d+)?\)*)+/
const cue =
  /\b(?:what|how much|calculate|compute|evaluate|solve|equals?|sum)\b|[=?؟]|چند|حساب|حاصل|برابر|محاسبه/iu
const date = /\d{2,4}[-/]\d{1,2}[-/]\d{1,4}/

/** Finds a calculation that the text asks for: an expression within a question, or an expression alone. */
export function findArithmetic(text: string): Arithmetic | undefined {
  if (text.length > 2000) return undefined
  let plain = numerals(text)
  for (const [words, sign] of spoken) plain = plain.replace(words, sign)
  const expression = found.exec(plain)?.[0].trim()
  if (!expression || date.test(expression)) return undefined
  const alone = plain.replace(expression, '').trim() === ''
  if (!alone && !cue.test(plain)) return undefined
  const tokens = expression
    .replace(/[×]/g, '*')
    .replace(/÷/g, '/')
    .replace(/−/g, '-')
    .match(/\d+(?:\.\d+)?|[-+*/^()]/g)
  const value = tokens && evaluate(tokens)
  if (value === undefined || value === null) return undefined
  return { expression, value: Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined }
}

const precedence: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '^': 4 }

/** Precedence climbing; returns `undefined` for tokens that are not an expression. */
function evaluate(tokens: readonly string[]): number | undefined {
  let at = 0
  const operand = (): number => {
    const token = tokens[at++]
    if (token === '-') return -climb(3)
    if (token === '(') {
      const inner = climb(0)
      return tokens[at++] === ')' ? inner : Number.NaN
    }
    return Number(token ?? Number.NaN)
  }
  const climb = (least: number): number => {
    let left = operand()
    for (;;) {
      const sign = tokens[at] ?? ''
      const rank = precedence[sign]
      if (rank === undefined || rank < least) return left
      at++
      left = apply(sign, left, climb(sign === '^' ? rank : rank + 1))
    }
  }
  const value = climb(0)
  return at === tokens.length && !Number.isNaN(value) ? value : undefined
}

function apply(sign: string, left: number, right: number): number {
  if (sign === '+') return left + right
  if (sign === '-') return left - right
  if (sign === '*') return left * right
  if (sign === '^') return left ** right
  return right === 0 ? Number.POSITIVE_INFINITY : left / right
}
