import { useEffect, useState } from 'react'
import { type AddressChange, useAddress } from './use-address.ts'

/** Longer than a pause between two keys: then the address follows what was typed. */
const typingMs = 300

/**
 * What is typed, at once on the page and then under a name in the address, where no step of the history is made of it. `also` changes with it, such as
 * the page of a list that begins anew.
 */
export function useTyped(
  name: string,
  also: AddressChange = {},
): [text: string, setText: (text: string) => void] {
  const address = useAddress()
  const inAddress = address.read(name)
  const [text, setText] = useState(inAddress)
  const [seen, setSeen] = useState(inAddress)
  const [written, setWritten] = useState(inAddress)
  // Back and Forward change the address from outside.
  if (inAddress !== seen) {
    setSeen(inAddress)
    if (inAddress !== written) setText(inAddress)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `also` is written as a value at each call.
  useEffect(() => {
    if (text === inAddress) return
    const timer = setTimeout(() => {
      setWritten(text)
      address.go({ ...also, [name]: text }, { isStep: false })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, inAddress, name, address])
  return [text, setText]
}
