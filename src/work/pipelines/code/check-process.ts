/** Parses programs that a model wrote and never runs them. Started by check.ts as a confined process that can read only its own code. */
import { stripTypeScriptTypes } from 'node:module'
import { Script } from 'node:vm'
import { runConfinedWork } from '#platform/confined-process'
import type { CheckAnswer, CheckWork } from './check.ts'

/** Returns the parser's error for a file, or null if it is valid or has no parser. */
async function faultOf(path: string, text: string): Promise<string | null> {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
  try {
    switch (ending) {
      case 'js':
      case 'mjs':
      case 'cjs':
        readScript(text)
        break
      case 'ts':
      case 'mts':
      case 'cts':
        stripTypeScriptTypes(text, { mode: 'transform' })
        break
      case 'json':
        JSON.parse(isCommented(path) ? withoutComments(text) : text)
        break
      case 'yaml':
      case 'yml':
        await readYaml(text)
        break
      case 'html':
      case 'htm':
        await readHtml(text)
        break
    }
    return null
  } catch (error) {
    return (
      String((error as Error).message)
        .split('\n')[0]!
        .slice(0, 300) || 'The parser refuses it.'
    )
  }
}

/** Parses JavaScript as a script and, if that fails, as a module. */
function readScript(text: string): void {
  try {
    new Script(text.replace(/^#![^\n]*/, ''))
  } catch (error) {
    if (!/^[ \t]*(?:import|export)\b|\bawait\b|\bimport\.meta\b/m.test(text)) throw error
    stripTypeScriptTypes(text.replace(/^#![^\n]*/, ''), { mode: 'transform' })
  }
}

/** Whether a JSON file is a configuration file that may contain comments. */
const isCommented = (path: string): boolean =>
  /(?:^|\/)(?:tsconfig[\w.-]*|jsconfig|\.?devcontainer)\.json$|\/?\.vscode\//.test(path)
const withoutComments = (text: string): string =>
  text
    // Unclosed strings and comments extend to the end of the line or file, so that no text is scanned twice.
    .replace(
      /("(?:[^"\\\n]|\\.)*(?:"|\\?$))|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|\/\/[^\n]*/gm,
      (_, string: string | undefined) => string ?? '',
    )
    .replace(/,(?=\s*[}\]])/g, '')

async function readYaml(text: string): Promise<void> {
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(text)
  const error = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined
  if (error) throw error
}

/** HTML parsers accept nearly everything; only an empty page and a broken script are errors. */
async function readHtml(text: string): Promise<void> {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(text)
  if (!document.documentElement) throw new Error('The page is empty.')
  for (const script of document.querySelectorAll('script')) {
    const type = (script.getAttribute('type') ?? '').toLowerCase()
    const isScript = /^(?:|module|text\/javascript|application\/javascript)$/.test(type)
    if (isScript && !script.getAttribute('src')) readScript(script.textContent ?? '')
  }
}

await runConfinedWork<CheckWork>(async (work) => {
  const faults: CheckAnswer = []
  for (const { path, text } of work) faults.push(await faultOf(path, text))
  return faults
})
