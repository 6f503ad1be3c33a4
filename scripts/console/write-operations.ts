/**
 * Writes console/api/operations.ts: the types of the routes that the console calls, from their schemas. With `--check` it only says whether the file is
 * as it would be written, so that a route which changes breaks the console at compile time and not in front of a person.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Route } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import { typeOf } from './type-of-schema.ts'

const root = path.resolve(import.meta.dirname, '../..')
const file = path.join(root, 'console/api/operations.ts')

/** The operations that the sources of the console name, as `GET /v1/me`. */
function namedOperations(): string[] {
  const sources = globSync('console/**/*.{ts,tsx}', { cwd: root, exclude: (name) => name === 'dist' })
  const names = sources
    .filter((source) => !source.endsWith('operations.ts'))
    .flatMap((source) => [
      ...readFileSync(path.join(root, source), 'utf8').matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g),
    ])
    .map(([, name]) => name!)
  return [...new Set(names)].toSorted()
}

function operationOf(name: string): string {
  const route = routes.find(({ method, path: at, host }) => host === undefined && `${method} ${at}` === name)
  if (!route) throw new Error(`The console calls ${name}, which is no route.`)
  const members = {
    params: route.params ? typeOf(route.params) : 'undefined',
    query: route.query ? typeOf(route.query) : 'undefined',
    body: bodyOf(route),
    reply: replyOf(route),
  }
  return `  '${name}': {\n${Object.entries(members)
    .map(([key, type]) => `    ${key}: ${type}\n`)
    .join('')}  }\n`
}

const bodyOf = ({ body, bodyMayBeAbsent }: Route): string =>
  body ? typeOf(body) + (bodyMayBeAbsent ? ' | undefined' : '') : 'undefined'

/** What a success says; an answer without a body, or of bytes, is undefined. */
function replyOf({ reply }: Route): string {
  const types = Object.values(reply).map((schema) =>
    typeof schema === 'string' ? 'undefined' : typeOf(schema),
  )
  return [...new Set(types)].join(' | ')
}

const text = `/** Written by \`npm run console:api\` from the schemas of the routes. */
export interface Operations {
${namedOperations().map(operationOf).join('')}}
`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('console/api/operations.ts is not what the routes say: run `npm run console:api`.')
  process.exitCode = 1
}
process.exit()
