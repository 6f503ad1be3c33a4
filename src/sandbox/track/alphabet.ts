/**
 * Texts as bits: the usual signs of Persian and of English have codes of D. A. Huffman (1952), short ones for frequent signs; any other sign has its
 * number in Unicode. Each language has its table, with a code that switches to the other one.
 */

/** The signs of a table, the most frequent first, in lines of about equal frequency with their weights. */
const persian: readonly (readonly [number, string])[] = [
  [170, ' '],
  [95, 'اید'],
  [55, 'رنهموت'],
  [30, 'بس\u200c'],
  [18, 'شکزلخگقفآپعحج'],
  [9, 'چطصضغذ.،ژظثئ'],
  [5, '؟!:«»۰۱۲۳۴۵۶۷۸۹-\n'],
  [2, 'ءأؤً؛()…٪٫/'],
]
const english: readonly (readonly [number, string])[] = [
  [180, ' '],
  [100, 'eta'],
  [65, 'oinshr'],
  [35, 'dlu'],
  [22, 'cmfwgypb'],
  [10, 'vk.,'],
  [5, "0123456789'-jxqz?!"],
  [2, '\n:;"()/%_@&+=#*$<>[]{}|\\’“”–—…'],
]
/** Switches to the other table. */
const other = 'other'
/** Makes the next letter a capital. */
const capital = 'capital'
/** Announces 21 bits of a number in Unicode. */
const any = 'any'
const numberBits = 21

export type TableIndex = 0 | 1

interface CodeTable {
  codes: ReadonlyMap<string, string>
  signs: ReadonlyMap<string, string>
}

const tables: readonly CodeTable[] = [
  tableOf([...persian, [8, [other]], [2, [any]]]),
  tableOf([...english, [8, [other]], [14, [capital]], [2, [any]]]),
]

function tableOf(weights: readonly (readonly [number, string | readonly string[]])[]): CodeTable {
  type Tree = { weight: number; signs: [sign: string, code: string][] }
  const trees: Tree[] = weights.flatMap(([weight, signs]) =>
    [...signs].map((sign): Tree => ({ weight, signs: [[sign, '']] })),
  )
  while (trees.length > 1) {
    trees.sort((one, another) => another.weight - one.weight)
    const [right, left] = [trees.pop()!, trees.pop()!]
    const joined = [left, right].flatMap(({ signs }, bit) =>
      signs.map(([sign, code]): [string, string] => [sign, `${bit}${code}`]),
    )
    trees.push({ weight: left.weight + right.weight, signs: joined })
  }
  const codes = new Map(trees[0]!.signs)
  return { codes, signs: new Map([...codes].map(([sign, code]) => [code, sign])) }
}

/** The bits of a text, beginning in the table `first`. */
export function bitsOfText(text: string, first: TableIndex): number[] {
  let code = ''
  let table = first
  for (const sign of text) {
    const lower = sign.toLowerCase()
    const isCapital = lower !== sign && tables[1]!.codes.has(lower)
    const letter = isCapital ? lower : sign
    if (!tables[table]!.codes.has(letter) && tables[1 - table]!.codes.has(letter)) {
      code += tables[table]!.codes.get(other)!
      table = table === 0 ? 1 : 0
    }
    const known = tables[table]!.codes.get(letter)
    if (known === undefined)
      code += tables[table]!.codes.get(any)! + sign.codePointAt(0)!.toString(2).padStart(numberBits, '0')
    else code += (isCapital ? tables[1]!.codes.get(capital)! : '') + known
  }
  return [...code].map(Number)
}

/** The text of bits; undefined where they end within a sign, or have a number that Unicode does not. */
export function textOfBits(bits: readonly number[], first: TableIndex): string | undefined {
  let text = ''
  let table = first
  let isCapital = false
  let code = ''
  for (let at = 0; at < bits.length; at++) {
    code += bits[at]!
    const sign = tables[table]!.signs.get(code)
    if (sign === undefined) continue
    code = ''
    if (sign === other) table = table === 0 ? 1 : 0
    else if (sign === capital) isCapital = true
    else if (sign === any) {
      const number = Number.parseInt(bits.slice(at + 1, at + 1 + numberBits).join(''), 2)
      at += numberBits
      if (at >= bits.length || !(number <= 0x10_ffff)) return undefined
      text += String.fromCodePoint(number)
    } else {
      text += isCapital ? sign.toUpperCase() : sign
      isCapital = false
    }
  }
  return code === '' ? text : undefined
}
