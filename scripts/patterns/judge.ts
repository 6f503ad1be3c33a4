import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { getIntersectionWords, JS, NFA } from 'refa'
import { analyse } from 'scslre'

/** Above this many repetitions a bounded quantifier costs as much as one without a bound. */
const asGoodAsUnbounded = 100
const maxAttackLength = 64_000
/** CPU time below which nothing is suspicious. */
const harmlessCpuMs = 50
/**
 * CPU time that this machine needs for a search that looks at 300 characters from each place of the longest attack. Three times as
 * much, in proportion to the length, distinguishes a quadratic search from a linear one: the quadratic one needs a hundred times as much.
 */
let boundedCpuMs: number | undefined
const single = new Set<AST.Node['type']>(['Character', 'CharacterSet', 'CharacterClass'])
const endings = ['', '\n', '\0', 'x', ' ', '!xxxxxxxx!']

/**
 * What is super-linear about a regular expression; an empty list when nothing is. Two analyses: scslre's, for
 * quantifiers that exchange characters with one another (backtracking), and `costlyStarts`, for searches that begin
 * at every character and run far from each (`/<[^>]*>/` over many `<`).
 */
export function judgePattern(source: string, flags: string): string[] {
  const { reports } = analyse({ source: widened(source), flags }, { reportTypes: { Move: false } })
  const exchanges = reports.map(
    (report) => `${report.type}: repeating ${JSON.stringify(report.character.pick)} makes it backtrack`,
  )
  return exchanges.length ? exchanges : costlyStarts(source, flags)
}

/**
 * Words that a quantifier can run over and that are themselves a beginning of the pattern: repeated, they start a
 * long run at each repetition. A candidate counts only when running it costs what a quadratic search costs, since
 * lookbehinds, first characters and the engine's own search may make it harmless.
 */
function costlyStarts(source: string, flags: string): string[] {
  const parsed = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  for (const quantifier of longQuantifiers(parsed)) {
    for (const word of pumps(quantifier, flags)) {
      if (isCostly(new RegExp(source, `${flags.replace('g', '')}g`), word))
        return [`Move: repeating ${JSON.stringify(word)} starts a long search at each repetition`]
    }
  }
  return []
}

function longQuantifiers(pattern: AST.Pattern): AST.Quantifier[] {
  const found: AST.Quantifier[] = []
  visitRegExpAST(pattern, {
    onQuantifierEnter: (node) => {
      if (node.max >= asGoodAsUnbounded) found.push(node)
    },
  })
  return found
}

/** Words of the quantifier's own language that end with what may stand before the quantifier. */
function pumps(quantifier: AST.Quantifier, flags: string): string[] {
  const multiline = flags.includes('m')
  const before = textBefore(quantifier, multiline)
  if (before === undefined) return []
  const runs = automaton(`(?:${quantifier.element.raw})+`, flags)
  // Over single characters a run may begin anywhere, so the text before the beginning has no influence.
  const anywhere = single.has(quantifier.element.type) ? '[^]?' : '[^]*'
  const starts = automaton(`${anywhere}(?:${before})[^]*`, flags)
  const words: string[] = []
  for (const word of getIntersectionWords(runs, starts, 2_000)) {
    if (word.length > 40 || words.length >= 6) break
    if (word.length) words.push(String.fromCodePoint(...word))
  }
  return words
}

/** The pattern's text on every way from its beginning to the node; `undefined` where it is held at the start of the text. */
function textBefore(node: AST.Node, multiline: boolean): string | undefined {
  let text = ''
  let inLookbehind = false
  for (let at: AST.Node = node; at.parent; at = at.parent) {
    const { parent } = at
    if (parent.type === 'Alternative') {
      const earlier = parent.elements.slice(0, parent.elements.indexOf(at as AST.Element))
      if (!multiline && earlier.some(isStart)) return undefined
      text = earlier.map((one) => (isStart(one) ? '[\\n\\r\\u2028\\u2029]' : one.raw)).join('') + text
    } else if (parent.type === 'Quantifier' && parent.max > 1 && at !== node) {
      text = `(?:${parent.element.raw})*${text}`
    } else if (parent.type === 'Assertion' && parent.kind === 'lookbehind') inLookbehind = true
  }
  return inLookbehind ? '' : text
}

function isStart(node: AST.Node): boolean {
  return node.type === 'Assertion' && node.kind === 'start'
}

/** Long counts as counts without a bound: each repetition that is counted would be a state of the automata. */
function widened(source: string): string {
  return source.replaceAll(/(?<!\\)\{(\d{1,9}),?(\d{0,9})\}/g, (counts, min: string, max: string) =>
    Number(max || min) >= asGoodAsUnbounded ? `{${Math.min(Number(min), 3)},}` : counts,
  )
}

/** An automaton of at least the pattern's language, as assertions are left out. */
function automaton(source: string, flags: string): NFA {
  const unnamed = widened(source)
    .replaceAll(/\(\?<(?![=!])[^>]{1,40}>/g, '(')
    .replaceAll(/\\k<[^>]{1,40}>/g, '[^]*')
  const supported = flags.replaceAll(/[^isuv]/g, '')
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source: unnamed, flags: supported }).parse({
    backreferences: 'disable',
  })
  return NFA.fromRegex(expression, { maxCharacter }, { assertions: 'ignore' })
}

/** Whether some text of repeated words makes a search cost what only a quadratic one can. */
function isCostly(pattern: RegExp, word: string): boolean {
  boundedCpuMs ??= measureBounded()
  for (const end of endings) {
    for (let length = 1_000; length <= maxAttackLength; length *= 2) {
      const text = `x${word.repeat(length / word.length)}${end}`
      const limit = Math.max(harmlessCpuMs, (3 * boundedCpuMs * length) / maxAttackLength)
      // Twice, since a collection of garbage may fall into one of them.
      if (cpuMsOf(pattern, text) > limit && cpuMsOf(pattern, text) > limit) return true
    }
  }
  return false
}

/** The least of three measurements, since other processes slow some of them down. */
function measureBounded(): number {
  const text = '<'.repeat(maxAttackLength)
  return Math.min(...[1, 2, 3].map(() => cpuMsOf(/<([^>]{1,300})>/g, text)))
}

function cpuMsOf(pattern: RegExp, text: string): number {
  const before = process.cpuUsage()
  text.replace(pattern, '')
  return process.cpuUsage(before).user / 1_000
}
