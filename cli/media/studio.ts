/** `kherad image` and `kherad speak`: order pictures and speech from a running server, and save them. */
import path from 'node:path'
import { credits } from '../account/money.ts'
import {
  type BilingualText,
  type Command,
  CommandRefused,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { latin } from '../numerals.ts'
import { connection } from '../server/phrases.ts'
import { type Server, serverOf } from '../server.ts'
import { dialogueIn, referencesIn, textIn, textOf, wholeNumber } from './studio/inputs.ts'
import { type Order, type OrderResult, orderOf, sendOrder, withRepeatHint } from './studio/order.ts'
import { imageOptions, speechOptions, studioPhrases as words } from './studio/phrases.ts'
import { formatOf, type OutputTarget, prepareTarget, type SaveOptions, saveAll } from './studio/save.ts'

const shared = [...connection, 'idempotency-key', 'timeout']

export const studioCommands: Command[] = [
  {
    name: 'image',
    about: words.image,
    takes: ['PROMPT'],
    options: [
      ...['model', 'preset', 'aspect', 'size', 'fit', 'count', 'format', 'quality', 'reference', 'out'],
      ...shared,
    ],
    flags: ['transparent', 'force'],
    repeatable: ['reference'],
    needs: [],
    help: imageOptions,
    run: drawImage,
  },
  {
    name: 'speak',
    about: words.speak,
    takes: [],
    mayTake: ['TEXT'],
    options: [
      ...['file', 'dialogue', 'voice', 'instructions', 'model', 'preset', 'format', 'out'],
      ...shared,
    ],
    flags: ['force'],
    needs: [],
    help: speechOptions,
    run: speak,
  },
]

/** The most characters of a prompt and of a text (contract section 4). */
const maxPromptCharacters = 8_000
const maxTextCharacters = 12_000
const maxPictures = 4

async function drawImage(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { options, flags, lists } = given
  const server = await serverOf(session, given)
  const count = options['count'] === undefined ? 1 : wholeNumber('--count', options['count'], 1, maxPictures)
  const prompt = await textOf(session, 'PROMPT', given.words[0]!, maxPromptCharacters)
  const references = await referencesIn(lists['reference'] ?? [])
  const place = await placeFor(given, { words: prompt, kind: 'image', count })
  const { model, preset, aspect, size, fit, quality } = options
  const order = orderOf(
    '/v1/studio/image',
    {
      prompt,
      model,
      preset,
      aspectRatio: aspect && latin(aspect),
      size: size && latin(size),
      fit,
      quality,
      outputFormat: options['format'] ?? formatOf(place),
      transparent: flags.includes('transparent') || undefined,
      count: count > 1 ? count : undefined,
      references: references.length > 0 ? references : undefined,
    },
    given,
  )
  return orderAndSave(session, server, { order, place, count })
}

async function speak(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { options } = given
  const server = await serverOf(session, given)
  const spoken = await speechOf(session, given)
  const place = await placeFor(given, { words: spoken.name, kind: 'audio', count: 1 })
  const { model, preset, voice, instructions } = options
  const order = orderOf(
    '/v1/studio/audio',
    {
      ...spoken.body,
      model,
      preset,
      voice,
      instructions,
      format: options['format'] ?? formatOf(place),
    },
    given,
  )
  return orderAndSave(session, server, { order, place, count: 1 })
}

/** The body of what is spoken, and the words that name its file. */
async function speechOf(
  session: Session,
  { words: [typed], options: { file, dialogue, voice, instructions } }: ParsedArguments,
): Promise<{ body: { text: string } | { turns: unknown[] }; name: string }> {
  if ([typed, file, dialogue].filter((one) => one !== undefined).length !== 1) refuseUsage(words.oneText())
  if (dialogue === undefined) {
    const text =
      file === undefined
        ? await textOf(session, 'TEXT', typed!, maxTextCharacters)
        : await textIn(file, maxTextCharacters)
    return { body: { text }, name: text }
  }
  if (voice !== undefined) refuseUsage(words.dialogueAlone('--voice'))
  if (instructions !== undefined) refuseUsage(words.dialogueAlone('--instructions'))
  return { body: { turns: await dialogueIn(dialogue) }, name: path.parse(dialogue).name }
}

const placeFor = (
  { options, flags }: ParsedArguments,
  wanted: Pick<SaveOptions, 'words' | 'kind' | 'count'>,
): Promise<OutputTarget> =>
  prepareTarget(options['out'], { ...wanted, format: options['format'], force: flags.includes('force') })

async function orderAndSave(
  session: Session,
  server: Server,
  { order, place, count }: { order: Order; place: OutputTarget; count: number },
): Promise<CommandResult> {
  const answer = await sendOrder(session, server, order)
  let saved: string[]
  try {
    saved = await saveAll(place, answer.creations, count)
  } catch (error) {
    // The paid result is kept: a repeat gets it.
    throw error instanceof CommandRefused ? withRepeatHint(error, order, session.language) : error
  }
  report(session, answer)
  const json = {
    saved: saved.map((one) => path.resolve(one)),
    model: answer.model,
    ...(answer.microcredits !== undefined && { microcredits: String(answer.microcredits) }),
    request_id: answer.requestId,
    idempotency_key: order.key,
    repeated: answer.isRepeated,
    missing: answer.missing,
    files: answer.files,
  }
  const text = saved.map((one) => `${one}\n`).join('')
  return {
    json,
    text,
    async *pieces(asJson) {
      // Each answer is one line, so that the answers of many orders can stand in one file.
      yield asJson ? `${JSON.stringify(json)}\n` : text
    },
  }
}

function report({ language, notify }: Session, answer: OrderResult): void {
  const { creations, model, microcredits, missing, isRepeated } = answer
  const cost = microcredits === undefined ? undefined : credits(microcredits)
  if (isRepeated) notify(words.repeated()[language])
  if (missing > 0) notify(words.missing(missing)[language])
  notify(words.done(model, creationsText(creations), cost)[language])
}

function creationsText(creations: OrderResult['creations']): BilingualText {
  const { mediaType, width, height, seconds } = creations[0]!
  if (mediaType.startsWith('audio/')) return words.sound(seconds)
  const isOneSize = creations.every((one) => one.width === width && one.height === height)
  if (!isOneSize || width === undefined || height === undefined) return words.pictures(creations.length)
  return words.picturesOf(creations.length, width, height)
}
