/** Texts that a client sent as token numbers, as LangChain does by default. */
import { Slice } from '#platform/slices'

let loading: Promise<readonly (string | number[])[]> | undefined

/** Loads the table of cl100k_base, by which clients of OpenAI's embeddings count tokens: on first use (about 50 ms and 20 MB). The table is kept. */
function loadTable(): Promise<readonly (string | number[])[]> {
  loading ??= import('gpt-tokenizer/bpeRanks/cl100k_base').then(({ default: table }) => table)
  return loading
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** What decoding leaves of a character that was cut between two lists of tokens. */
const replacementCharacter = '\uFFFD'

/**
 * The text of these tokens of cl100k_base, or the position of the first number that is no token. Clients cut long texts between tokens, so a part of
 * a character at either end is left out.
 */
export async function textOfTokens(tokens: readonly number[]): Promise<string | { unknownAt: number }> {
  const table = await loadTable()
  const slice = new Slice()
  const pieces: Uint8Array[] = []
  for (const [at, token] of tokens.entries()) {
    const piece = table[token]
    if (piece === undefined) return { unknownAt: at }
    pieces.push(typeof piece === 'string' ? encoder.encode(piece) : Uint8Array.from(piece))
    if (at % 256 === 0 && slice.isOver()) await slice.next()
  }
  return withoutHalves(decoder.decode(Buffer.concat(pieces)))
}

function withoutHalves(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && text[from] === replacementCharacter) from++
  while (to > from && text[to - 1] === replacementCharacter) to--
  return text.slice(from, to)
}
