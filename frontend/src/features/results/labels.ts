/** How a twin is called in tables. */
export function personaLabel({ personaId, personaName }: { personaId: number; personaName: string }): string {
  return personaName || `Persona ${personaId}`;
}
