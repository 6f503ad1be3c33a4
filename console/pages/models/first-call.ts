/** A first call for each kind of model, with its id filled in. */
import type { CodeSample } from '../../pieces/code-block.tsx'

interface CallTexts {
  greeting: string
  pictureOf: string
  filmOf: string
  spoken: string
}

interface Call {
  path: string
  body: Record<string, unknown>
  /** Where the answer is a file, its name. */
  file?: string
  /** How the OpenAI library makes the call, as `client.…` takes it, and what is then printed or saved. */
  library?: { method: string; show: string }
}

function callOf(kind: string, model: string, texts: CallTexts): Call | undefined {
  switch (kind) {
    case 'text':
      return {
        path: '/v1/chat/completions',
        body: { model, messages: [{ role: 'user', content: texts.greeting }] },
        library: { method: 'chat.completions.create', show: 'choices[0].message.content' },
      }
    case 'image':
      return {
        path: '/v1/images/generations',
        body: { model, prompt: texts.pictureOf },
        library: { method: 'images.generate', show: 'data[0].b64_json' },
      }
    case 'audio':
      return { path: '/v1/audio/speech', body: { model, input: texts.spoken }, file: 'speech.mp3' }
    case 'embedding':
      return {
        path: '/v1/embeddings',
        body: { model, input: texts.greeting },
        library: { method: 'embeddings.create', show: 'data[0].embedding' },
      }
    case 'video':
      return { path: '/v1/videos', body: { model, prompt: texts.filmOf } }
    case 'realtime':
      return { path: '/v1/realtime/client_secrets', body: { session: { type: 'realtime', model } } }
  }
  return undefined
}

/** The samples of a model; empty for a kind that this page does not know. */
export function firstCallOf(
  kind: string,
  model: string,
  { origin, texts }: { origin: string; texts: CallTexts },
): CodeSample[] {
  if (kind === 'transcription') return [transcriptionOf(model, origin)]
  const call = callOf(kind, model, texts)
  if (!call) return []
  const { path, body, file, library } = call
  const curl = `curl ${origin}${path} \\
  -H "Authorization: Bearer $KHERAD_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${quoted(JSON.stringify(body))}'${file === undefined ? '' : ` \\\n  --output ${file}`}`
  return [
    { language: 'curl', code: curl },
    ...(library
      ? [
          { language: 'Python', code: pythonOf(origin, body, library) },
          { language: 'JavaScript', code: javascriptOf(origin, body, library) },
        ]
      : []),
  ]
}

const transcriptionOf = (model: string, origin: string): CodeSample => ({
  language: 'curl',
  code: `curl ${origin}/v1/audio/transcriptions \\
  -H "Authorization: Bearer $KHERAD_KEY" \\
  -F model=${model} \\
  -F file=@recording.mp3`,
})

/** A text within single quotes of a shell. */
const quoted = (text: string): string => text.replaceAll("'", "'\\''")

const pythonOf = (origin: string, body: object, { method, show }: NonNullable<Call['library']>): string =>
  `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["KHERAD_KEY"])
reply = client.${method}(
${Object.entries(body)
  .map(([name, value]) => `    ${name}=${JSON.stringify(value)},`)
  .join('\n')}
)
print(reply.${show})`

const javascriptOf = (origin: string, body: object, { method, show }: NonNullable<Call['library']>): string =>
  `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.KHERAD_KEY })
const reply = await client.${method}({
${Object.entries(body)
  .map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  .join('\n')}
})
console.log(reply.${show})`
