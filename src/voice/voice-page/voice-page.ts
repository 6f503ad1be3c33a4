/** The page /voice, on which a person calls a model. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Static, Type } from 'typebox'
import type { Language } from '#platform/errors'
import {
  answerPrepared,
  type PreparedText,
  prepareText,
  type RequestContext,
  type Route,
} from '#platform/http'
import { closed, described, oneOf } from '#platform/schema'
import { route } from './app.ts'
import { pageHeaders, pageOf } from './page.ts'

const PageQuery = Type.Object(
  {
    lang: Type.Optional({
      ...oneOf('fa', 'en'),
      ...described(
        'Without it, as Accept-Language prefers.',
        'بدون آن، زبانی که `Accept-Language` ترجیح دهد.',
      ),
    }),
  },
  closed,
)

/** The files of `browser/` that the page loads, as they are. */
const files = [
  'page.css',
  'page.js',
  'api.js',
  'call.js',
  'calls.js',
  'choices.js',
  'kept.js',
  'make.js',
  'peer-line.js',
  'preferences.js',
  'receipt.js',
  'session.js',
  'sound-worklet.js',
  'socket-line.js',
  'transcript.js',
  'words.js',
] as const
type FileName = (typeof files)[number]

const FileParams = Type.Object({
  file: { ...oneOf(...files), ...described('A file of the page.', 'یک فایل صفحه.') },
})

const folder = path.join(import.meta.dirname, 'browser')

async function prepareFile(name: FileName): Promise<PreparedText> {
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
  return prepareText(await readFile(path.join(folder, name), 'utf8'), `${type}; charset=utf-8`)
}

/** The files, read and compressed at the first request of each. */
const prepared = new WeakMap<object, Map<string, Promise<PreparedText>>>()

function preparedOnce(app: object, name: string, make: () => Promise<PreparedText>): Promise<PreparedText> {
  const known = prepared.get(app) ?? new Map<string, Promise<PreparedText>>()
  prepared.set(app, known)
  const one = known.get(name) ?? make()
  known.set(name, one)
  return one
}

async function showPage(context: RequestContext<object, unknown, Static<typeof PageQuery>>) {
  const language: Language = context.query.lang ?? context.language
  for (const [name, value] of Object.entries(pageHeaders)) context.setHeader(name, value)
  context.setHeader('content-language', language)
  const page = await preparedOnce(context.app, language, () =>
    prepareText(pageOf(language), 'text/html; charset=utf-8'),
  )
  return answerPrepared(context, page, ['accept-language'])
}

const routes: Route<object>[] = [
  route({
    method: 'GET',
    path: '/voice',
    operation: 'voice.page',
    scope: 'public',
    summary: {
      en: 'A page to talk to a model: sign in or type a key, press the button, speak.',
      fa: 'صفحه‌ای برای تماس صوتی با مدل: وارد شوید یا کلیدی بنویسید، دکمه را بزنید و حرف بزنید.',
    },
    query: PageQuery,
    reply: { 200: 'text/html' },
    errors: [],
    handle: showPage,
  }),
  route({
    method: 'GET',
    path: '/voice/{file}',
    operation: 'voice.file',
    scope: 'public',
    summary: { en: 'What the page `/voice` loads.', fa: 'آنچه صفحهٔ `/voice` بار می‌کند.' },
    params: FileParams,
    reply: { 200: 'text/css, text/javascript' },
    errors: [],
    handle: async (context) => {
      const { file } = context.params
      context.setHeader('x-content-type-options', 'nosniff')
      return answerPrepared(context, await preparedOnce(context.app, file, () => prepareFile(file)))
    },
  }),
]

export const voice = { name: 'voice', routes }
