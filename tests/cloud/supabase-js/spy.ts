/** Writes down which methods of the client a scenario has really called. */
import { methodsOf, surfaceObjects } from './surface.ts'

const called = new Set<string>()

/** What was called since it was asked last. */
export function takeCalled(): Set<string> {
  const taken = new Set(called)
  called.clear()
  return taken
}

/** Methods of classes are watched for all clients of this process, those of plain objects for one. */
export function watchClasses(): void {
  const objects = Object.entries(surfaceObjects())
  const watched = new Map<object, Set<string>>()
  for (const [, object] of objects)
    for (const name of methodsOf(object)) {
      const owner = ownerOf(object, name)
      if (!owner || watched.get(owner)?.has(name)) continue
      watched.set(owner, (watched.get(owner) ?? new Set()).add(name))
      const original = (owner as Record<string, unknown>)[name] as (...given: unknown[]) => unknown
      Object.defineProperty(owner, name, {
        configurable: true,
        writable: true,
        value: function (this: object, ...given: unknown[]) {
          for (const [label, one] of objects)
            if (one.constructor === this.constructor) called.add(`${label}.${name}`)
          return original.apply(this, given)
        },
      })
    }
  called.clear()
}

export function watchGroups(label: string, object: Record<string, unknown>): void {
  for (const name of methodsOf(object)) {
    const original = object[name] as (...given: unknown[]) => unknown
    object[name] = (...given: unknown[]) => {
      called.add(`${label}.${name}`)
      return original(...given)
    }
  }
}

/** The prototype that has the method; undefined for plain objects. */
function ownerOf(object: object, name: string): object | undefined {
  let at: object = Object.getPrototypeOf(object)
  if (at === Object.prototype) return undefined
  while (at && !Object.hasOwn(at, name)) at = Object.getPrototypeOf(at)
  return at
}
