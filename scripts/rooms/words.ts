import type { SourceFile } from './source.ts'

/** A type or a name that is declared in the code. */
interface DeclaredName {
  file: string
  line: number
  name: string
  isType: boolean
}

/** Files of more lines tell more than one story. Tables of data are split by their subject. */
export const maxLines = 400

/** Types of one name in more rooms than this are told apart by nobody: each gets the name of what it is in its room. */
const maxRoomsOfType = 3

/** Names that all rooms declare alike, since the declarations are merged or are shapes of one contract. */
const shared: ReadonlySet<string> = new Set(['Failures', 'Tables', 'Settings', 'Metrics', 'Events', 'Scopes'])

/** Participles of the language whose names would say what was done, not what the thing is. */
const participle =
  /^(?:[A-Z][a-z]+ed|Asking|Hearing|Speaking|Closing|Opening|Reading|Writing|Counting|Measuring|Told|Heard|Made|Seen|Kept|Said|Given|Taken|Known|Drawn|Written|Spoken|Sent|Paid|Found|Left|Lost|Held|Ran|Gone|Done|Chosen|Begun|Shown|Built|Bought|Caught|Meant|Understood|Won|Worn|Torn|Grown|Thrown)$/
/** Nouns and adjectives of the field that end like one. */
const noParticiples: ReadonlySet<string> = new Set(['Embed', 'Feed', 'Seed', 'Speed', 'Need', 'Localized'])

/** Sentences about names and sizes that break the rules of STYLE.md, with file and line. */
export function wordOffences(sources: readonly SourceFile[]): string[] {
  const names = sources.flatMap(declaredNames)
  return [
    ...sources.flatMap(longFile),
    ...names
      .filter(({ name }) => /^(?:most|longest)(?:[A-Z]|$)/.test(name))
      .map(({ file, line, name }) => `${file}:${line} declares "${name}": a bound is named max… or min….`),
    ...names
      .filter(({ name, isType }) => isType && participle.test(name) && !noParticiples.has(name))
      .map(
        ({ file, line, name }) =>
          `${file}:${line} declares the type "${name}", a participle: name it by a noun.`,
      ),
    ...sharedTypeNames(names),
  ]
}

function longFile({ file, code }: SourceFile): string[] {
  const lines = code.split('\n').length - 1
  return lines > maxLines && !file.endsWith('.test.ts')
    ? [`${file} has ${lines} lines; more than ${maxLines} are two stories.`]
    : []
}

const typeDeclaration =
  /^\s*(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|type) ([A-Z]\w*)(?: extends| implements|<| =| \{|$)/
const valueDeclaration = /^\s*(?:export )?(?:async )?(?:const|let|function\*?) ([A-Za-z]\w*)/

function declaredNames({ file, code }: SourceFile): DeclaredName[] {
  return code.split('\n').flatMap((text, at) => {
    const type = typeDeclaration.exec(text)?.[1]
    const name = type ?? valueDeclaration.exec(text)?.[1]
    return name === undefined ? [] : [{ file, line: at + 1, name, isType: type !== undefined }]
  })
}

function sharedTypeNames(names: readonly DeclaredName[]): string[] {
  const types = names.filter(
    ({ name, isType, file }) =>
      isType && file.startsWith('src/') && !file.endsWith('.test.ts') && !shared.has(name),
  )
  return [...Map.groupBy(types, ({ name }) => name)].flatMap(([name, declared]) => {
    const rooms = new Set(declared.map(({ file }) => file.split('/').slice(0, 3).join('/')))
    return rooms.size > maxRoomsOfType
      ? [`The type name "${name}" is declared in ${rooms.size} rooms: ${[...rooms].join(', ')}.`]
      : []
  })
}

/** Comments of these sources that are fragments: a sentence that begins with a preposition or a relative and has no verb. */
export function commentFragments(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ file, code }) =>
    [...code.matchAll(/\/\*\*?([\s\S]*?)\*\/|^\s*\/\/(.*)$/gm)].flatMap((match) => {
      const text = (match[1] ?? match[2] ?? '').replace(/\n\s*\*?\s*/g, ' ').trim()
      const line = code.slice(0, match.index).split('\n').length
      return text
        .split(/(?<=[.!?])\s+|;\s+/)
        .filter((sentence) => opening.test(sentence) && !verb.test(sentence))
        .map((sentence) => `${file}:${line}: ${sentence}`)
    }),
  )
}

/** How many fragments there may be; the number only falls. */
export const maxFragments = 20

const opening =
  /^(?:Of|By|In|At|For|With|Without|From|To|On|As|Where|Which|Whose|Who|That|Beside|Behind|Before|After|Between|Within|Among|Into|Through|Under|Over|Since|Until|Instead|Because of|Beyond|Around|Against|Per|Like|About)\b/

const verb = new RegExp(
  String.raw`\b(?:` +
    'is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|may|might|must|will|would|shall|should|needs?|gets?|got|takes?|took' +
    '|gives?|gave|makes?|made|comes?|came|goes|went|knows?|holds?|held|stands?|stood|keeps?|kept|says?|said|tells?|told|asks?|asked' +
    '|answers?|answered|reads?|writes?|wrote|sends?|sent|begins?|began|ends?|ended|starts?|started|stops?|costs?|counts?|means?|names?' +
    '|named|waits?|waited|throws?|returns?|runs?|ran|lets?|bears?|finds?|found|sees?|saw|seen|uses?|used|opens?|closes?|calls?|called' +
    '|pays?|paid|refuses?|refused|accepts?|resolves?|rejects?|becomes?|became|belongs?|differs?|fits?|fails?|happens?|leaves?|lies' +
    '|lives?|loses?|lost|meets?|moves?|passes|passed|remains?|shows?|stays?|stayed|tries|wants?|works?|contains?|includes?|exists?' +
    '|deletes?|stores?|serves?|applies|allows?|needs?|adds?|allocates?|arrives?|blocks?|breaks?|brings?|builds?|checks?|chooses?' +
    '|declares?|describes?|drops?|expects?|expires?|grows?|ignores?|keeps|listens?|looks?|matches|measures?|offers?|parses?|prevents?' +
    '|produces?|puts?|receives?|replaces?|reports?|requires?|rounds?|saves?|sets?|settles?|splits?|supports?|survives?|turns?' +
    '|understands?|updates?|validates?|yields?' +
    String.raw`)\b`,
  'i',
)
