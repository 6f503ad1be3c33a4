import {
  createContext,
  type FormEvent,
  type FormHTMLAttributes,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { faultOf } from './faults.ts'

/** Whether somebody has tried to send the form: from then on its fields say what is missing. */
const Tried = createContext(false)

export const useTried = (): boolean => useContext(Tried)

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'style' | 'noValidate'> {
  /** Called when no field has a fault that can be seen without the server. */
  onSubmit(event: FormEvent<HTMLFormElement>): void
}

/**
 * A form whose refusals stand beside its fields, in the language of the page: the browser's own bubbles have its language. The focus goes to the first
 * field that is refused, by the page at once or by the server later, unless something is typed meanwhile.
 */
export function Form({ onSubmit, onInput, ...rest }: FormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null)
  const [isTried, setTried] = useState(false)
  const waitsForRefusal = useRef(false)
  useEffect(() => {
    if (!waitsForRefusal.current) return
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (!refused) return
    waitsForRefusal.current = false
    refused.focus()
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    setTried(true)
    waitsForRefusal.current = true
    const fields = [...event.currentTarget.elements].filter((one) => one instanceof HTMLInputElement)
    if (fields.some((field) => faultOf(field) !== undefined)) event.preventDefault()
    else onSubmit(event)
  }
  return (
    <Tried value={isTried}>
      <form
        {...rest}
        ref={form}
        noValidate
        onSubmit={submit}
        onInput={(event) => {
          waitsForRefusal.current = false
          onInput?.(event)
        }}
      />
    </Tried>
  )
}
