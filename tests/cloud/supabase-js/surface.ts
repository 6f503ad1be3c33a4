/** Every public method of the installed client, found in it: a newer version with a new method has a new name here. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'

/** The objects that an app gets hold of, by the way it does. */
export function surfaceObjects(): Record<string, object> {
  const client = createClient('http://127.0.0.1:1', 'none', {
    auth: { persistSession: false, autoRefreshToken: false },
  })
  const { auth, storage } = client
  const vectors = storage.vectors.from('bucket')
  return {
    client,
    'schema()': client.schema('public'),
    auth,
    ...grouped('auth', auth),
    'auth.admin': auth.admin,
    ...grouped('auth.admin', auth.admin),
    'from()': client.from('rows'),
    'select()': client.from('rows').select(),
    storage,
    'storage.from()': storage.from('bucket'),
    'storage.vectors': storage.vectors,
    'storage.vectors.from()': vectors,
    'storage.vectors.from().index()': vectors.index('index'),
    'storage.analytics': storage.analytics,
    functions: client.functions,
    realtime: client.realtime,
    'channel()': client.channel('room'),
  }
}

/** What an app hands over when it makes a client, and what the client keeps of its own. */
const options = [
  'storage',
  'userStorage',
  'memoryStorage',
  'headers',
  'logger',
  'experimental',
  'jwks',
  'broadcastChannel',
]

/** Groups of methods that hang on an object: `auth.mfa`, `auth.admin.oauth` and what is in them. */
function grouped(label: string, object: object): Record<string, object> {
  const found: Record<string, object> = {}
  for (const [name, value] of Object.entries(object)) {
    if (name.startsWith('_') || options.includes(name) || typeof value !== 'object' || value === null)
      continue
    if (name === 'admin' || methodsOf(value as object).length === 0 || isBuiltIn(value)) continue
    found[`${label}.${name}`] = value as object
    Object.assign(found, grouped(`${label}.${name}`, value as object))
  }
  return found
}

const isBuiltIn = (value: object): boolean =>
  [Map, Array, Promise, URL, Headers].some((one) => value instanceof one)

/** Names of functions along the prototypes; of plain objects those of their own. */
export function methodsOf(object: object): string[] {
  const names = new Set<string>()
  const isPlain = Object.getPrototypeOf(object) === Object.prototype
  for (let at: object = isPlain ? object : Object.getPrototypeOf(object); at && at !== Object.prototype; ) {
    const hidden = isPlain ? new Set<string>() : hiddenOf(at.constructor.name)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && name !== 'constructor' && !name.startsWith('_') && !hidden.has(name))
        names.add(name)
    at = Object.getPrototypeOf(at)
  }
  return [...names]
}

/** `auth.signUp`, `from().insert`, in the order of the client. */
export const publicCalls = (): string[] =>
  Object.entries(surfaceObjects()).flatMap(([label, object]) =>
    methodsOf(object).map((name) => `${label}.${name}`),
  )

/** What a line and its channels are made of, which apps leave alone. */
const machinery = [
  ...['serializer', 'socketAdapter', 'reconnectTimer'].map((name) => `realtime.${name}`),
  ...['channelAdapter', 'joinPush', 'rejoinTimer'].map((name) => `channel().${name}`),
]

/**
 * Objects with public methods that hang on one of these and are none of them, nor of their kinds: where a newer client has more, they belong
 * among them.
 */
export function unseenObjects(): string[] {
  const objects = surfaceObjects()
  const seen = new Set<unknown>(Object.values(objects))
  const kinds = new Set(
    Object.values(objects)
      .map((object) => object.constructor)
      .filter((kind) => kind !== Object),
  )
  return Object.entries(objects).flatMap(([label, object]) =>
    propertiesOf(object)
      .filter((name) => {
        const value = (object as Record<string, unknown>)[name]
        if (typeof value !== 'object' || value === null || seen.has(value) || isBuiltIn(value)) return false
        return !kinds.has(value.constructor) && methodsOf(value).length > 0
      })
      .map((name) => `${label}.${name}`)
      .filter((name) => !machinery.includes(name)),
  )
}

/** Names of public fields and getters. */
function propertiesOf(object: object): string[] {
  const names = new Set(Object.keys(object))
  const hidden = new Set(options)
  for (
    let at = Object.getPrototypeOf(object);
    at && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of hiddenOf(at.constructor.name)) hidden.add(name)
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (get) names.add(name)
  }
  return [...names].filter((name) => !name.startsWith('_') && !hidden.has(name))
}

const packages = ['auth-js', 'functions-js', 'postgrest-js', 'realtime-js', 'storage-js', 'supabase-js']
const root = fileURLToPath(new URL('../../../node_modules/@supabase/', import.meta.url))

let declarations: string | undefined
/** What a class declares as private, as protected or as internal: JavaScript has it on the prototype all the same. */
function hiddenOf(className: string): Set<string> {
  declarations ??= packages
    .flatMap((name) => declarationFiles(path.join(root, name, 'dist')))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const hidden = new Set<string>()
  for (const [, body] of declarations.matchAll(
    new RegExp(`class ${className}\\b([\\s\\S]*?)\\n\\}\\n`, 'g'),
  )) {
    for (const [, name] of body!.matchAll(/^\s*(?:private|protected) (?:static |async |readonly )*(\w+)/gm))
      hidden.add(name!)
    for (const [, name] of body!.matchAll(/@internal(?:(?!\*\/)[\s\S])*\*\/\s*(?:async )?(\w+)/g))
      hidden.add(name!)
  }
  return hidden
}

const declarationFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.d\.[cm]?ts$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
