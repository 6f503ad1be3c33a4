/** The console of somebody who is signed in. Whoever is not goes to the light pages of sign-in. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { Root } from '../look/root.tsx'
import { startPage } from '../look/start.tsx'
import { router } from './router.tsx'

startPage(
  <Root>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </Root>,
)
