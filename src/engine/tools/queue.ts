export interface Queue {
  /** A place, given back by disposing it; undefined when too many wait already. Throws the signal's reason. */
  enter(signal: AbortSignal): Promise<Disposable | undefined>
}

export interface Places {
  working: number
  waiting: number
}

/** Lets so many work at a time and so many wait for them, in the order they came. */
export function openQueue({ working, waiting }: Places): Queue {
  let free = working
  const line: (() => void)[] = []
  const place = (): Disposable => {
    let held = true
    return {
      [Symbol.dispose]() {
        if (!held) return
        held = false
        const next = line.shift()
        if (next) next()
        else free += 1
      },
    }
  }
  return {
    async enter(signal) {
      signal.throwIfAborted()
      if (free > 0) {
        free -= 1
        return place()
      }
      if (line.length >= waiting) return undefined
      await turn(line, signal)
      return place()
    },
  }
}

function turn(line: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const next = () => {
    signal.removeEventListener('abort', leave)
    resolve()
  }
  const leave = () => {
    line.splice(line.indexOf(next), 1)
    reject(signal.reason)
  }
  line.push(next)
  signal.addEventListener('abort', leave, { once: true })
  return promise
}
