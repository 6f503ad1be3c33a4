/** The address of one call, such as a link from a receipt: it opens beside the list. */
import { Navigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export default function OneRequest(): ReactNode {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  return <Navigate to="/requests" search={{ open: id }} replace />
}
