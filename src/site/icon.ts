/** The service's icon: two inks on paper, one printed over the other. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Overprint">
<rect width="64" height="64" rx="14" fill="#fff"/>
<circle cx="23" cy="32" r="18" fill="#00a3dd"/>
<circle cx="41" cy="32" r="18" fill="#e0007a"/>
<path d="M32 16.41a18 18 0 0 1 0 31.18a18 18 0 0 1 0-31.18z" fill="#231a73"/>
</svg>
`;
